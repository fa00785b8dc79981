"""`python3 -m tools book --watch` in a checkout with two invented frameworks."""
import queue
import re
import signal
import subprocess
import threading
import time
import urllib.request

import pytest

from tests.tools import fake

PATIENCE = 60  # seconds that a machine with other work may take for a small build
TALL = '\n\n'.join(f'Paragraph {number}.' for number in range(200))


class Watch:
    """The running command and what it has printed."""

    def __init__(self, paths):
        self.paths, self.lines, self.printed = paths, queue.Queue(), []
        line, options = fake.command(paths, 'book', '--watch')
        self.process = subprocess.Popen(
            line, **options, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.default_int_handler))
        threading.Thread(target=self._read, daemon=True).start()
        self.address = re.search('http://[^ ]+', self.until('served at'))[0]
        self.until('waiting')

    def _read(self):
        for line in self.process.stdout:
            self.lines.put(line)

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
    """A watch that Ctrl-C ends, and which then leaves nothing running."""
    paths = fake.checkout(tmp_path_factory.mktemp('checkout'))
    (paths.chapters / 'one.md').write_text(f'{fake.ONE}\nA first text.\n\n{TALL}\n')
    running = Watch(paths)
    try:
        yield running
        running.process.send_signal(signal.SIGINT)
        assert running.process.wait(PATIENCE) == 0
    finally:
        running.process.kill()
    assert not [line for line in fake.alive('ipykernel_launcher')
                if line[0].startswith(str(paths.root))]


def test_prose_is_rendered_without_a_kernel(watch):
    printed = watch.saved('A first text.', 'Another text.')
    assert 'built in' in printed and '0 notebooks executed, 2 unchanged' in printed
    assert 'Another text.' in watch.page() and 'EventSource' in watch.page()
    assert 'EventSource' not in (watch.paths.html / 'one.html').read_text()


def test_code_runs_only_where_it_changed(watch):
    printed = watch.saved('20 + 2', '20 + 3')
    assert '1 notebooks executed, 1 unchanged' in printed and 'one  Beta' not in printed
    assert 'alpha 23' in re.sub('<[^>]+>', '', watch.page())


def test_open_page_follows_and_stays_where_it_is(watch, browser):
    page = browser.new_page()
    page.goto(f'{watch.address}one.html?fw=be')
    page.get_by_text('Paragraph 100.').evaluate('one => one.scrollIntoView({behavior: "instant"})')
    before = page.evaluate('scrollY')
    printed = watch.saved('Paragraph 0.', 'A third text.')
    assert 'built in' in printed
    page.get_by_text('A third text.').wait_for(timeout=1000 * PATIENCE)
    page.wait_for_function(f'Math.abs(scrollY - {before}) < 3', timeout=1000 * PATIENCE)
    assert page.evaluate('document.documentElement.dataset.fw') == 'be'
    printed = watch.saved('30 + 3', '30 / 0')
    assert 'one  Beta  cell 1 (chapters/one.md:' in printed and 'built in' not in printed
    page.get_by_text('ZeroDivisionError').first.wait_for(timeout=1000 * PATIENCE)
    assert 'beta 33' in re.sub('<[^>]+>', '', watch.page())
    assert 'built in' in watch.saved('30 / 0', '30 + 4')
    page.get_by_text('beta 34').wait_for(timeout=1000 * PATIENCE)
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
    watch.until('waiting')


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
