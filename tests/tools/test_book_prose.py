"""The chapters as a reader meets them: language, figures, exercises, references, amount of code."""
import functools
import re
import xml.etree.ElementTree as ElementTree

import pytest
from codespell_lib import main as codespell
from d2lrnn import BACKENDS
from pybtex.database import parse_file

from tools import chapter, prose

NAMES = chapter.names()
BODIES = [name for name in NAMES if name != 'index']
WORDS = 30  # mean length of a sentence at most
CELLS = 150  # executed cells a framework at least
SVG = '{http://www.w3.org/2000/svg}'
# What is not a sentence: formulas, whole blocks, headings, labels, rows of tables.
NO_PROSE = re.compile(r'\$\$.*?\$\$(?: *\([\w-]+\))?|^(`{3,}|:{3,}).*?^\1$|^#.*?$|^\(.*\)=$|^\|.*$',
                      re.DOTALL | re.MULTILINE)
INLINE = re.compile(r'\$[^$]+\$|\{[\w:]+\}`[^`]*`|`[^`]*`')

load = functools.cache(chapter.load)


def source(name):
    return load(name).path.read_text(encoding='utf-8')


def markdown(name, tab):
    """The text between the cells, as the notebook of one framework has it."""
    cells = load(name).notebook.cells
    return [prose.flatten(cell.source, tab) for cell in cells if cell.cell_type == 'markdown']


def sentences(name, tab='pytorch'):
    for text in markdown(name, tab):
        text = INLINE.sub('X', NO_PROSE.sub('\n\n', text))
        for paragraph in re.split(r'\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )', text):
            yield from re.split(r'(?<=[.!?:])\s+(?=[A-Z*(])', paragraph.strip())


@pytest.mark.parametrize('name', NAMES)
def test_sentences_are_short(name):
    lengths = [len(sentence.split()) for sentence in sentences(name) if sentence]
    assert sum(lengths) / len(lengths) < WORDS


@pytest.mark.parametrize('tab', chapter.TABS)
@pytest.mark.parametrize('name', NAMES)
def test_no_reader_is_addressed(name, tab):
    found = re.findall(r'\b(?:you|your|yours|yourself)\b', '\n'.join(sentences(name, tab)), re.I)
    assert not found


def test_spelling_is_american():
    paths = [str(load(name).path) for name in NAMES]
    assert codespell('--builtin', 'clear,rare,en-GB_to_en-US', '--ignore-words-list', 'nd',  # n d
                     *paths) == 0


@pytest.mark.parametrize('name', NAMES)
def test_figures_are_our_own_and_described(name):
    figures = [directive for directive in prose.directives(source(name))
               if directive.name == 'figure']
    assert figures
    for figure in figures:
        assert len(figure.options['alt'].split()) > 5
        root = ElementTree.parse(chapter.CHAPTERS / figure.argument).getroot()
        assert root.find(f'{SVG}title').text and root.find(f'{SVG}desc').text


def test_no_picture_is_left_over():
    used = {directive.argument for name in NAMES for directive in prose.directives(source(name))
            if directive.name == 'figure'}
    there = {f'img/{path.name}' for path in (chapter.CHAPTERS / 'img').glob('*.svg')}
    assert there == used


@pytest.mark.parametrize('name', BODIES)
def test_parts_of_a_chapter(name):
    text = '\n\n'.join(markdown(name, 'pytorch'))
    assert f'(sec-{name})=' in text
    assert '**Goal.**' in text and '**Prerequisites.**' in text
    assert re.search(r'^## Summary$', text, re.MULTILINE)
    exercises = text[text.index('\n## Exercises\n'):]
    asked = {int(number) for number in re.findall(r'^(\d+)\. ', exercises, re.MULTILINE)}
    solved = {int(number) for title in re.findall(r'^\*\*Solution of (.*)\*\*$', exercises,
                                                 re.MULTILINE)
              for number in re.findall(r'\d+', title)}
    assert asked and asked == solved


@pytest.mark.parametrize('backend', BACKENDS, ids=lambda backend: backend.module)
def test_enough_is_executed(backend):
    cells = [cell for name in NAMES for cell in load(name).cells]
    assert sum(cell.tab in (backend.tab, chapter.ALL) for cell in cells) >= CELLS


def test_references_are_papers_that_can_be_found():
    entries = parse_file(chapter.CHAPTERS / 'refs.bib').entries
    text = '\n'.join(map(source, NAMES))
    cited = {key for keys in re.findall(r'\{cite(?::\w+)?\}`([^`]*)`', text)
             for key in re.split(r'\s*,\s*', keys)}
    assert set(entries) == cited
    papers = [entry for entry in entries.values() if entry.type != 'book']
    assert not [entry.key for entry in papers if not {'doi', 'eprint'} & set(entry.fields)]
