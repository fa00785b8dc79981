"""What Sphinx says of a chapter names the line that has to be changed, once."""
import re

import pytest

from tests.tools import sample
from tests.tools.sample_book import Book
from tools.render import RenderError

TAB = ''':::::{tab-set}
:sync-group: fw

::::{tab-item} PyTorch
:sync: pytorch
A first line,
THIS
::::
:::::
'''
CELLS = sample.cells('print(1)')
FIGURE = '```{figure} img/grid.svg\n:alt: Two layers\n'
# Markdown with THIS, which has to be named, or with the line of HERE
CASES = {
    'paragraph': 'A first line,\na second,\nand a {ref}`BAD` third,\nand a last.\n',
    'link': 'A first line,\n[a second](BAD.md).\n',
    'equation': 'A first line,\n{eq}`BAD` and another.\n',
    'citation': 'A first line,\n{cite}`BAD`.\n',
    'substitution': 'A first line,\n{{ BAD }}.\n',
    'role': 'A first line,\n{BAD}`x`.\n',
    'tab': TAB.replace('THIS', '{ref}`BAD`.'),
    'citation in a tab': TAB.replace('THIS', '{cite}`BAD`.'),
    'nested list': '- one\n- two\n\n  - three\n  - {ref}`BAD`\n',
    'table': '| a | b |\n| --- | --- |\n| 1 | 2 |\n| 3 | {ref}`BAD` |\n',
    'list table': '```{list-table}\n* - a\n  - b\n* - c\n  - {cite}`BAD`\n```\n',
    'caption': f'{FIGURE}\nA caption\nwith {{ref}}`BAD`.\n```\n',
    'caption of cells': (f'{CELLS}```{{cell-figure}}\n:name: fig-x\n\nA caption\n'
                         'with {ref}`BAD`.\n```\n'),
    'heading': '## A part about {ref}`BAD`\n',
    'note': ':::{note}\nWords.\n\n- {numref}`BAD`\n:::\n',
    'option': f'{FIGURE}:BAD: 3\n\nA caption.\n```\n',
    'directive': 'Words.\n\n```{BAD}\nx\n```\n',
    'picture': 'A first line,\n![text](img/BAD.svg).\n',
    'lexer': '```{code-block} BAD\nx\n```\n',
    'equation twice': '$$\na\n$$ (eq-state)\n',
    'equation twice in a chapter': '$$\na\n$$ (eq-x)\n\n$$\nb\n$$ (eq-x)\n',
    'label twice': '(sec-first)=\n## A part\n',
    'figure twice': f'{FIGURE}:name: fig-grid\n\nA caption.\n```\n',
    'level': '## A part\n\n#### A part too low\n'}
LINES = {'equation twice': '$$ (eq-state)', 'equation twice in a chapter': '$$ (eq-x)',
         'label twice': '## A part', 'figure twice': ':name: fig-grid',
         'level': '#### A part too low', 'directive': '```{BAD}'}


@pytest.fixture(scope='module')
def book(tmp_path_factory):
    return Book(tmp_path_factory.mktemp('book')).render()


@pytest.fixture
def render(book):
    """Gives what is said of a text after the title of the second chapter, and the file's lines."""
    chapter = book.folder / 'second.md'
    before = chapter.read_text()

    def said(text):
        chapter.write_text(before.replace('# Second chapter\n', f'# Second chapter\n\n{text}\n'))
        with pytest.raises(RenderError) as caught:
            book.render()
        return str(caught.value).splitlines(), chapter.read_text().split('\n')
    yield said
    chapter.write_text(before)


@pytest.mark.parametrize('kind', CASES)
def test_line(render, kind):
    (warning, *rest), lines = render(CASES[kind])
    wanted = LINES.get(kind) or next(line for line in lines if 'BAD' in line)
    number = int(re.match(r'chapters/second\.md:(\d+): WARNING: ', warning)[1])
    assert lines[number - 1] == wanted
    assert rest == ['The book was not rendered, because of the warnings above. The last good '
                    'pages are still there.']


def test_two_in_one_chapter(render):
    said, lines = render('{ref}`one`\n\nWords.\n\n{ref}`two` and {ref}`two`\n')
    assert [line.split(': ')[0] for line in said[:-1]] == [
        f'chapters/second.md:{lines.index(text) + 1}'
        for text in ('{ref}`one`', '{ref}`two` and {ref}`two`')]


def test_bibliography_that_cannot_be_read(book):
    file = book.folder / 'refs.bib'
    file.write_text(f'{sample.BIB}@article{{x, author = {{A, title={{B}}\n')
    with pytest.raises(RenderError, match=r'^chapters/refs\.bib:\d+: .*premature end of file'):
        book.render()
    file.write_text(sample.BIB)
