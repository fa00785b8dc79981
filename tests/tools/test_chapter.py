import re

import pytest
from d2lrnn import BACKENDS

from tests.tools import sample
from tools.chapter import ChapterError, check_filled, load, names, notebook_for

_, TENSORFLOW, JAX, _ = BACKENDS


@pytest.fixture
def folder(tmp_path):
    return sample.write(tmp_path / 'chapters')


def second(folder, text):
    """Replaces the second chapter, whose body then starts in line 11."""
    (folder / 'second.md').write_text(sample.FRONT + '# Title\n' + text)
    return folder


def test_names_follow_the_table_of_contents(folder):
    assert names(folder) == ['index', 'first', 'second']
    text = sample.INDEX.replace('first\nSecond chapter <second>', 'second\nfirst')
    (folder / 'index.md').write_text(text)
    assert names(folder) == ['index', 'second', 'first']


def test_chapter_outside_of_the_table_of_contents(folder):
    (folder / 'third.md').write_text(sample.FRONT)
    with pytest.raises(ChapterError, match=r'chapters/third.md: missing in the toctree'):
        names(folder)


def test_table_of_contents_names_a_missing_file(folder):
    (folder / 'second.md').unlink()
    with pytest.raises(ChapterError, match=r"index.md: its toctree names 'second'"):
        names(folder)


def test_unknown_chapter_names_the_valid_ones(folder):
    with pytest.raises(ChapterError, match="no chapter 'thrid'.* index, first, second"):
        load('thrid', folder)


def test_lines_are_those_of_the_file(folder):
    chapter = load('first', folder)
    lines = chapter.path.read_text().split('\n')
    for node, line in zip(chapter.notebook.cells, chapter.lines):
        expected = '```{code-cell}' if node.cell_type == 'code' else node.source.split('\n')[0]
        assert lines[line - 1] == expected
    for cell in chapter.cells:
        assert lines[cell.end - 1] == '```'


CELL = '```{{code-cell}}\n{}\n\n1\n```\n'
BAD = {
    'no tab': (CELL.format(':tags: [a]'), 11, 'without :tab:; expected one of pytorch, tens'),
    'unknown tab': (CELL.format(':tab: torch'), 11, ':tab: torch; expected one of pytorch'),
    'unknown option': (CELL.format(':tab: all\n:includ: a.py:B'), 11, ':includ:; the options'),
    'tags': (CELL.format(':tab: all\n:tags: full-epochs'), 11, r'expected a list such as \['),
    'include all': (CELL.format(':tab: all\n:include: a.py:B'), 11, 'a tab of one framework'),
    'empty only': (CELL.format(':tab: jax\n:only:'), 11, ':only: needs a text'),
    'empty': ('```{code-cell}\n:tab: all\n```\n', 11, 'an empty cell'),
    'yaml': (CELL.format(':tab: all\n:only: a: b'), 13, 'Invalid options format'),
    'in tab set': ('\n::::{tab-set}\n:::{tab-item} A\n' + CELL.format(':tab: all') + ':::\n::::\n',
                   14, r'a \{code-cell\} inside tab-item would be dropped'),
    'in dropdown': ('\n````{dropdown} A\n' + CELL.format(':tab: all') + '````\n',
                    13, r'a \{code-cell\} inside dropdown would be dropped'),
    'in list': ('\n- a\n\n  ```{code-cell}\n  :tab: all\n  1\n  ```\n', 14, 'would be dropped'),
    'twice': (sample.cells('1') + sample.cells('2', BACKENDS[:1]), 34,
              'a second pytorch cell .*first is in line 11'),
    'missing': (sample.cells('1', BACKENDS[:3]), 11, 'group of tabs without mxnet'),
    'half a reason': (sample.cells('1', BACKENDS[:1], ':only: why\n')
                      + sample.cells('1', BACKENDS[1:2]), 17, 'without jax, mxnet'),
    'reason without need': (sample.cells('1', BACKENDS, ':only: why\n'), 11, 'remove the option'),
    'prose tab': ('\n::::{tab-set}\n:sync-group: fw\n:::{tab-item} A\n:sync: torch\na\n:::\n::::\n',
                  14, ':sync: torch; expected one of pytorch'),
    'prose group': ('\n::::{tab-set}\n:::{tab-item} A\n:sync: jax\na\n:::\n::::\n',
                    12, 'give it :sync-group: fw'),
}


@pytest.mark.parametrize('name', BAD)
def test_bad_chapter(folder, name):
    text, line, message = BAD[name]
    with pytest.raises(ChapterError, match=f'^chapters/second.md:{line}: .*{message}'):
        load('second', second(folder, text))


def test_front_matter_is_needed(folder):
    (folder / 'second.md').write_text('# Title\n')
    with pytest.raises(ChapterError, match='second.md:1: no front matter'):
        load('second', folder)


def test_directive_named_in_a_listing_is_only_text(folder):
    load('second', second(folder, '\n````md\n```{code-cell}\n1\n```\n````\n'))


def test_notebook_has_the_cells_of_one_framework(folder):
    notebook = notebook_for(load('first', folder), JAX)
    code = notebook.cells
    places = [cell.metadata['d2lrnn'] for cell in code]
    assert {place['tab'] for place in places} == {'jax', 'all'}
    assert [place['cell'] for place in places] == list(range(1, len(code) + 1))
    assert code[0].source == 'from d2lrnn import jax as d2l'
    lines = (folder / 'first.md').read_text().split('\n')
    assert lines[places[0]['line'] - 1:places[0]['line'] + 1] == ['```{code-cell}', ':tab: jax']
    assert [cell.metadata['tags'] for cell in code if 'board' in cell.source] == [['full-epochs']]
    assert notebook.metadata['kernelspec']['name'] == 'python3'


def test_cell_that_waits_for_its_code(folder):
    text = sample.cells('', options=':include: rnn.py:RNN')
    chapter = load('second', second(folder, text))
    with pytest.raises(ChapterError, match='second.md:11: nothing of rnn.py:RNN is here yet'):
        check_filled(chapter)


def test_identities_are_valid_and_the_same_each_time(folder):
    first, again = (notebook_for(load('first', folder), TENSORFLOW) for _ in range(2))
    assert first == again
    identities = [cell.id for cell in first.cells]
    assert len(set(identities)) == len(identities)
    assert all(re.fullmatch('[A-Za-z0-9_-]{1,64}', identity) for identity in identities)
