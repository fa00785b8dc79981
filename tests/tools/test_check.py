"""`python3 -m tools check` as a whole: what it prints, and files that cannot be read."""
import os
import shutil
import time
import types

import pytest
from d2lrnn import BACKENDS

from tests.tools import sample
from tests.tools.small import Small
from tools import check, checks
from tools.checks import cells, commands, links, pages, pictures, references
from tools.paths import HERE, Paths

INCLUDE = '# Title\n\n' + sample.cells('{module}', options=':include: rnn.py:{}\n')
BROKEN = '# Title\n\n{{ref}}`none` and Pytorch\n\n{}'


@pytest.fixture
def small(tmp_path):
    return Small(tmp_path)


def run(small, capsys, chapter=None, html=None, only_list=False):
    """(exit status, lines printed) of the command."""
    options = types.SimpleNamespace(chapter=chapter, html=html, list=only_list)
    status = check.main(options, Paths(small.root), BACKENDS)
    return status, capsys.readouterr().out.splitlines()


def test_all_findings_by_chapter_and_line(small, capsys):
    small.write(BROKEN.format('# Two'), 'first').write(BROKEN.format('[a](none.md)'))
    status, lines = run(small, capsys)
    second = [line for line in lines if line.startswith('chapters/second.md:')]
    assert status == 1
    numbers = [int(line.split(':')[1]) for line in second]
    assert numbers == sorted(numbers) and {12, 14} <= set(numbers)
    files = [line.split(':')[0] for line in lines[:-1]]
    order = [f'chapters/{name}.md' for name in ('index', 'first', 'second')]
    assert [file for file in dict.fromkeys(files) if file in order] == order
    assert "chapters/second.md:12: 'Pytorch'; write 'PyTorch'" in lines
    assert lines[-1] == f'{len(lines) - 1} findings in 4 files, {len(checks.RULES)} rules'


def test_some_chapters(small, capsys):
    small.write(BROKEN.format(''), 'first').write(BROKEN.format(''))
    status, lines = run(small, capsys, ['second'])
    assert status == 1 and {line.split(':')[0] for line in lines[:-1]} == {'chapters/second.md'}


def test_nothing_found(small, capsys, monkeypatch):
    monkeypatch.setattr(checks, 'RULES', (links, commands))
    status, lines = run(small, capsys)
    assert (status, lines) == (0, ['0 findings in 4 files, 2 rules'])


def test_list_of_rules(small, capsys):
    status, lines = run(small, capsys, only_list=True)
    assert status == 0 and len(lines) == len(checks.RULES)
    for rule, line in zip(checks.RULES, lines):
        assert line.startswith(rule.__name__.rpartition('.')[2]) and line.endswith('.')
        assert checks.title(rule).count('. ') == 0
    found = {path.stem for path in (HERE.root / 'tools/checks').glob('*.py')
             if 'def find(book)' in path.read_text()}
    assert found == {rule.__name__.rpartition('.')[2] for rule in checks.RULES}


@pytest.mark.parametrize('content, message', [
    (b'\xff', 'cannot be read: UnicodeDecodeError'),
    (b'---\na: [\n---\n# A\n', 'cannot be read: ')])
def test_unreadable_chapter_is_one_finding(small, capsys, content, message):
    small.write(BROKEN.format(''))
    (small.chapters / 'first.md').write_bytes(content)
    status, lines = run(small, capsys)
    first = [line for line in lines if line.startswith('chapters/first.md:')]
    assert status == 1 and len(first) == 1
    assert first[0].startswith(f'chapters/first.md:1: {message}')
    assert "chapters/second.md:12: 'Pytorch'; write 'PyTorch'" in lines


def test_chapter_without_front_matter(small, capsys):
    (small.chapters / 'second.md').write_text('# Title\n\nPytorch\n')
    _, lines = run(small, capsys)
    assert [line for line in lines if 'second.md:1: no front matter of jupytext' in line]
    assert "chapters/second.md:3: 'Pytorch'; write 'PyTorch'" in lines


def test_wrong_table_of_contents(small, capsys):
    small.write(BROKEN.format(''), 'third')
    status, lines = run(small, capsys)
    assert status == 1
    assert [line for line in lines if 'missing in the toctree' in line]
    assert "chapters/third.md:12: 'Pytorch'; write 'PyTorch'" in lines


def test_broken_bibliography(small, capsys):
    (small.chapters / 'refs.bib').write_text('@article{a, title = }')
    status, lines = run(small, capsys)
    assert status == 1 and [line for line in lines
                            if line.startswith('chapters/refs.bib:1: cannot be read')]


def test_bibliography(small):
    path = small.chapters / 'refs.bib'
    path.write_text(path.read_text() + '@misc{b2000,\n title = {B}, eprint = {20.1}}\n'
                    '@article{c2000, title = {C}}\n@book{d2000, title = {D}, doi = {11.1/x}}\n')
    small.write('# Title\n\n{cite}`b2000, c2000, d2000`\n')
    found = dict(small.found(references, 'chapters/refs.bib'))
    assert list(found) == [4, 6, 7]
    assert "the eprint '20.1'" in found[4] and 'neither a doi' in found[6]
    assert "the doi '11.1/x'" in found[7]
    small.write('# Title\n\n{cite}`c2000`\n')
    assert 'b2000 is not cited' in dict(small.found(references, 'chapters/refs.bib'))[4]


def test_pictures_of_our_own(small):
    assert [message for _, message in small.found(pictures, 'chapters/img/grid.svg')] == [
        'an SVG without a <desc>; add one for who cannot see it',
        'an SVG without a <title>; add one for who cannot see it']
    (small.chapters / 'img/other.svg').write_text('<svg>\n<a</svg>')
    (line, broken), (_, unused) = reversed(small.found(pictures, 'chapters/img/other.svg'))
    assert line == 2 and 'is no SVG' in broken and 'no text shows this picture' in unused


def test_included_code(small):
    for row in BACKENDS:
        shutil.copytree(HERE.root / 'd2lrnn' / row.module, small.root / 'd2lrnn' / row.module)
    text = INCLUDE.replace('rnn.py:{}', 'rnn.py:RNNScratch')
    found = small.write(text).found(cells)
    assert [line for line, _ in found] == [12, 19, 26, 33]
    assert all('not rnn.py:RNNScratch as the library has it' in message for _, message in found)
    found = small.write(text.replace('RNNScratch', 'None')).found(cells)
    assert len(found) == 4 and 'rnn.py has no None' in found[0][1]


def test_documents(small):
    (small.root / 'README.md').write_text(
        '# A\n\n[b](chapters/none.md) [c](#a) [d](#e)\n\n    python3 -m tools bok\n')
    assert [line for line, _ in small.found(links, 'README.md')] == [3, 3]
    assert [line for line, _ in small.found(commands, 'README.md')] == [5]


PAGE = '''<html><head><title>{ref}`a`</title></head><body>
<p>Fine $ and <code>{ref}`x`</code>
<span class="math">$x$</span> <pre>$a$ :::</pre></p>
<div class="cell_output"><p>$3 and $4</p></div><svg><text>`a`</text></svg>
</body></html>'''


@pytest.mark.parametrize('text, shown', [
    ('see {ref}`sec-a`', '{ref}`sec-a`'), ('see {numref}<code>a</code>', '{numref}'),
    ('of :eq:`a`', ':eq:`a`'), ('a\n$n$ b', '$n$'), ('$$', '$$'), (':::{note}', ':::{note}'),
    ('(sec-a)=', '(sec-a)='), ('{{ corpus }}', '{{ corpus }}'), ('a `b', '`b'),
    ('<span class="problematic">|x|</span>', '|x|')])
def test_rendered_pages(small, text, shown):
    small.html.mkdir(parents=True)
    page = PAGE.replace('<title>{ref}`a`</title>', '')
    (small.html / 'first.html').write_text(page)
    assert not list(pages.find(small.book()))
    (small.html / 'first.html').write_text(page.replace('</body>', f'<p>{text}</p></body>'))
    found, = pages.find(small.book())
    assert found.line == 5 + text.split(shown)[0].count('\n')
    assert f'shows {shown!r} as text; correct it in chapters/first.md' in found.message


def test_pages_older_than_their_chapter(small, capsys):
    small.html.mkdir(parents=True)
    page = small.html / 'second.html'
    page.write_text('<p>$n$</p>')
    os.utime(page, (time.time() - 100,) * 2)
    _, lines = run(small, capsys)
    assert ('note: not read, as older than their chapters: second.html in _build/html; render the '
            'book again') in lines
    assert not [line for line in lines if line.startswith('_build')]


def test_folder_without_pages(small, capsys):
    status, _ = run(small, capsys, html=small.root)
    assert status == 1
