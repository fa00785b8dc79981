"""`python3 -m tools book --watch` in a checkout with two invented frameworks."""
import json
import os
import queue
import re
import signal
import subprocess
import threading
import time
import urllib.request

import psutil
import pytest

from tests.tools import fake
from tools import live, serve

PATIENCE = 60  # seconds that a machine with other work may take for a small build
TALL = '\n\n'.join(f'Paragraph {number}.' for number in range(200))


class Watch:
    """The running command and what it has printed."""

    def __init__(self, paths):
        self.paths = paths
        with serve.open_server(paths.root, 0) as free:
            self.address = serve.address(free)
        self.start()

    def start(self):
        self.lines, self.printed = queue.Queue(), []
        line, options = fake.command(self.paths, 'book', '--watch', '--port',
                                     self.address.split(':')[-1].strip('/'))
        self.process = subprocess.Popen(
            line, **options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        threading.Thread(target=self._read, args=(self.process.stdout, self.lines),
                         daemon=True).start()
        assert self.address in self.until('served at')
        self.until('waiting')

    def stop(self):
        """Send what Ctrl-C sends; gives the exit status and the processes that are left."""
        started = psutil.Process(self.process.pid).children(recursive=True)
        self.process.send_signal(signal.SIGINT)
        status = self.process.wait(PATIENCE)
        return status, [*psutil.wait_procs(started, timeout=5)[1], *(
            line for line in fake.alive('ipykernel_launcher')
            if line[0].startswith(str(self.paths.root)))]

    @staticmethod
    def _read(output, lines):
        for line in output:
            lines.put(line)

    def until(self, text):
        """The next line with a text in it."""
        deadline = time.monotonic() + PATIENCE
        while True:
            try:
                self.printed.append(self.lines.get(timeout=deadline - time.monotonic()))
            except (queue.Empty, ValueError):
                raise AssertionError(f'no {text!r} in {"".join(self.printed)}') from None
            if text in self.printed[-1]:
                return self.printed[-1]

    def saved(self, old, new):
        """Change the chapter; gives what was printed until the next wait."""
        file, start = self.paths.chapters / 'one.md', len(self.printed)
        before = file.read_text()
        assert old in before
        file.write_text(before.replace(old, new, 1))
        self.until('waiting')
        return ''.join(self.printed[start:])

    def page(self):
        with urllib.request.urlopen(f'{self.address}one.html', timeout=PATIENCE) as answer:
            return answer.read().decode()


@pytest.fixture(scope='module')
def watch(tmp_path_factory):
    """A watch of a checkout that was never built."""
    paths = fake.checkout(tmp_path_factory.mktemp('checkout'))
    (paths.chapters / 'one.md').write_text(f'{fake.ONE}\nA first text.\n\n{TALL}\n')
    running = Watch(paths)
    try:
        yield running
    finally:
        if running.process.poll() is None:
            running.stop()


def test_prose_is_rendered_without_a_kernel(watch):
    printed = watch.saved('A first text.', 'Another text.')
    assert 'built in' in printed and '0 notebooks executed, 2 unchanged' in printed
    assert 'Another text.' in watch.page() and 'EventSource' in watch.page()
    assert (watch.paths.html / 'one.html').is_file()
    for page in watch.paths.html.rglob('*.html'):
        assert 'EventSource' not in page.read_text()


def events(answer):
    """The next event of the stream; signs of life are left out."""
    for line in answer:
        if line.startswith(b'data: '):
            return json.loads(line.removeprefix(b'data: '))
    raise AssertionError('the stream ended')


def test_stream_tells_of_each_build(watch):
    with urllib.request.urlopen(watch.address.strip('/') + live.BUILDS,
                                timeout=PATIENCE) as answer:
        assert answer.headers['Content-Type'] == 'text/event-stream'
        first = events(answer)
        assert first['problem'] == '' and f'data-build="{first["build"]}"' in watch.page()
        watch.saved('Another text.', '{ref}`nowhere`')
        broken = events(answer)
        assert broken['build'] == first['build']
        assert re.search("chapters/one.md:[0-9]+: .*nowhere", broken['problem'])
        watch.saved('{ref}`nowhere`', 'A text.')
        mended = events(answer)
        assert mended['build'] != first['build'] and mended['problem'] == ''
        assert f'data-build="{mended["build"]}"' in watch.page()


def test_code_runs_only_where_it_changed(watch):
    printed = watch.saved('20 + 2', '20 + 3')
    assert '1 notebooks executed, 1 unchanged' in printed and 'one  Beta' not in printed
    assert 'alpha 23' in re.sub('<[^>]+>', '', watch.page())


def test_open_page_follows_and_stays_where_it_is(watch, browser):
    page = browser.new_page()
    page.goto(f'{watch.address}one.html?fw=be')
    read = page.get_by_text('Paragraph 100.')
    read.evaluate('one => one.scrollIntoView({behavior: "instant"})')
    before, scrolled = read.bounding_box()['y'], page.evaluate('scrollY')
    above = '\n\n'.join(f'Above {number}.' for number in range(9))
    assert 'built in' in watch.saved('# One\n', f'# One\n\n{above}\n')
    page.get_by_text('Above 8.').wait_for(timeout=1000 * PATIENCE)
    page.wait_for_function(f'scrollY > {scrolled} + 100', timeout=1000 * PATIENCE)
    assert abs(read.bounding_box()['y'] - before) < 3  # the reader sees what was there
    assert page.evaluate('document.documentElement.dataset.fw') == 'be'
    printed = watch.saved('30 + 3', '30 / 0')
    assert 'one  Beta  cell 1 (chapters/one.md:' in printed and 'built in' not in printed
    page.get_by_text('ZeroDivisionError').first.wait_for(timeout=1000 * PATIENCE)
    assert 'beta 33' in re.sub('<[^>]+>', '', watch.page())
    assert 'built in' in watch.saved('30 / 0', '30 + 4')
    page.get_by_text('beta 34').wait_for(timeout=1000 * PATIENCE)
    assert page.get_by_text('ZeroDivisionError').count() == 0
    page.close()


def test_what_is_no_chapter_is_an_error_and_not_the_end(watch):
    (watch.paths.chapters / '.one.md.swp').write_text('an editor')
    (watch.paths.chapters / '4913').write_text('')
    (watch.paths.chapters / 'one.md~').write_text('')
    new = watch.paths.chapters / 'two.md'
    new.write_text(fake.FRONT + '# Two\n')
    assert 'saved: chapters/two.md\n' in watch.until('saved: ')
    assert 'chapters/two.md' in watch.until('missing in the toctree')
    watch.until('waiting')
    new.unlink()
    watch.until('built in')
    watch.until('waiting')


def test_editor_that_puts_a_new_file_in_place(watch):
    chapter = watch.paths.chapters / 'one.md'
    fresh = chapter.with_name('.one.md.new')
    fresh.write_text(chapter.read_text().replace('Paragraph 3.', 'A replaced text.'))
    os.replace(fresh, chapter)
    assert 'saved: chapters/one.md\n' in watch.until('saved: ')
    watch.until('built in')
    watch.until('waiting')
    assert 'A replaced text.' in watch.page()


def test_saves_during_a_build_are_built_next(watch):
    chapter = watch.paths.chapters / 'one.md'
    before = chapter.read_text()
    chapter.write_text(before.replace("print('every'", "import time; time.sleep(4); print('every'"))
    watch.until('one  Beta: started')
    for word in ('Fourth', 'Fifth'):
        chapter.write_text(before.replace('Paragraph 1.', f'{word} text.'))
    watch.until('built in')
    watch.until('saved: chapters/one.md')
    watch.until('built in')
    watch.until('waiting')
    assert 'Fifth text.' in watch.page() and 'sleep' not in watch.page()
    time.sleep(1)
    assert watch.lines.empty()


def test_change_of_the_library_runs_its_framework_and_names_what_differs(watch):
    part = watch.paths.root / 'd2lrnn/alpha/part.py'
    part.write_text('def double(x):\n    """Twice as much."""\n    return 2 * x\n')
    watch.until('waiting')
    watch.saved('Paragraph 2.', '```{code-cell}\n:tab: al\n:include: part.py:double\n:only: as is\n'
                f'{part.read_text()}```\n')
    text = (watch.paths.chapters / 'one.md').read_text()
    start = len(watch.printed)
    part.write_text(part.read_text().replace('2 * x', 'x + x'))
    watch.until('waiting')
    printed = ''.join(watch.printed[start:])
    line = text.split('\n').index(':include: part.py:double') - 1
    assert f'chapters/one.md:{line}: differs from the library' in printed
    assert 'one  Alpha: started' in printed and 'one  Beta' not in printed
    assert (watch.paths.chapters / 'one.md').read_text() == text


def test_another_build_meanwhile(watch):
    done = fake.run(watch.paths, 'book', '--no-serve')
    assert done.returncode == 0 and 'Another run' not in done.stdout


def test_ctrl_c_while_idle_and_while_building(watch):
    assert watch.stop() == (0, [])
    watch.start()
    chapter = watch.paths.chapters / 'one.md'
    before, pages = chapter.read_text(), (watch.paths.html / 'one.html').read_text()
    chapter.write_text(before.replace("'epoch')", "'epoch'); import time; time.sleep(60)"))
    watch.until('one  Beta: started')
    status, left = watch.stop()
    assert status in (0, 130) and left == []
    assert (watch.paths.html / 'one.html').read_text() == pages
    chapter.write_text(before)
    watch.start()
