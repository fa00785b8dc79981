"""Spelling is American, nothing is in the first or second person, and sentences are short."""
import contextlib
import io
import re

from codespell_lib import main as codespell

PERSON = re.compile(r'\b(?:[Yy]ou(?:rs?|rself|rselves)?|[Ww]e|[Oo]urs?|[Oo]urselves|us)\b')
DICTIONARIES = 'clear,rare,en-GB_to_en-US'
KNOWN = 'nd'  # n d, the product of two sizes
MISSPELLED = re.compile(r'(.+?):(\d+): (.+) ==> (.+)')
MEAN_WORDS = 30  # of the sentences of a chapter, at most
ENDS = re.compile(r'(?<=[.!?:])\s+(?=[A-Z*(\ue000-\ue004])')


def find(book):
    yield from _spelling(book)
    for source in book.chapters:
        for block in source.text.blocks:
            for match in PERSON.finditer(block.words):
                yield source.finding(block.line_of(match.start()), f'{match[0]!r} is a first or '
                                     'second person; say what is done, or by what')
        lengths = [len(sentence.split()) for block in source.text.blocks
                   if block.kind in ('paragraph', 'title') for sentence in ENDS.split(block.words)]
        mean = sum(lengths) / max(len(lengths), 1)
        if mean >= MEAN_WORDS:
            yield source.finding(1, f'sentences have {mean:.0f} words on average; divide the long '
                                 f'ones until it is below {MEAN_WORDS}')


def _spelling(book):
    paths = {str(source.path): source for source in book.sources}
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        codespell('--builtin', DICTIONARIES, '--ignore-words-list', KNOWN, '--disable-colors',
                  *paths)
    for line in said.getvalue().splitlines():
        match = MISSPELLED.fullmatch(line)
        if match and match[1] in paths:
            yield paths[match[1]].finding(int(match[2]), f'{match[3]!r}; write {match[4]!r}')
