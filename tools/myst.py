"""Writes the blocks of docstrings as MyST Markdown: once where equal, in synced tabs elsewhere."""
import re

from tools.docstrings import CODE
from tools.prose import SYNC_GROUP

MARKUP = re.compile(r'[\\`*_{}\[\]<>$#|~^%&@+]')
ADDRESSES = {re.compile(r'\bdoi:(10\.[^\s,;)]*[^\s,;.)])'): 'https://doi.org/',
             re.compile(r'\barXiv:(\d+\.\d+(?:v\d+)?)'): 'https://arxiv.org/abs/'}
WORD = re.compile(r'\*{0,2}\w+')


def plain(text):
    """The text with nothing in it that Markdown would take for markup."""
    return MARKUP.sub(r'\\\g<0>', text)


def inline(text):
    """A docstring's text: what is in backticks stays code."""
    parts, end = [], 0
    for found in CODE.finditer(text):
        parts += [plain(text[end:found.start()]), code(found[2])]
        end = found.end()
    return ''.join([*parts, plain(text[end:])])


def code(text):
    return f'`` {text} ``' if '`' in text else f'`{text}`'


def link(name, shown=None):
    """A link to the entry of a public name."""
    return f'{{py:obj}}`{shown or name} <d2l.{name}>`'


def lines_of(block):
    """One block as lines, the last of them empty."""
    if block.kind == 'math':
        return ['$$', block.content[0], '$$', '']
    if block.kind == 'items':
        return _items(block)
    if block.kind == 'source':
        text = plain(block.content[0])
        for pattern, address in ADDRESSES.items():
            text = pattern.sub(lambda found: f'[{found[0]}]({address}{found[1]})', text)
        return [f'**{block.title}** {text}', '']
    if block.kind == 'signature':
        return [f'```{{py:{block.title}}} {block.content[0]}', ':no-index:', *block.content[1:],
                '```', '']
    if block.kind == 'code':
        return [f'```{{code-block}} {block.title}', *block.content, '```', '']
    if block.kind == 'markup':
        return [*block.content, '']
    return [inline(block.content[0]), '']


def _items(block):
    named = [item for item in block.content if item[0]]
    if not named:
        return [f'**{block.title}** {inline(text)}\n' for _, text in block.content]
    lines = [f'**{block.title}**', '']
    for names, text in block.content:
        if names:
            terms = ', '.join(code(name) if WORD.fullmatch(name) else plain(name)
                              for name in names)
            lines += [terms, f': {inline(text)}', '']
        else:
            lines += [inline(text), '']
    return lines


def side_by_side(columns, backends):
    """Blocks of several backends: what all of them have once, the rest in tabs.

    Args:
        columns: backend row -> list of blocks.
        backends: all rows; where one has no column, everything is in tabs.
    """
    if len(columns) < len(backends):
        return tabs(columns)
    lines, at = [], dict.fromkeys(columns, 0)
    for block in next(iter(columns.values())):
        found = {row: _index(blocks, block, at[row]) for row, blocks in columns.items()}
        if None not in found.values():
            lines += tabs({row: blocks[at[row]:found[row]] for row, blocks in columns.items()})
            lines += lines_of(block)
            at = {row: place + 1 for row, place in found.items()}
    return lines + tabs({row: blocks[at[row]:] for row, blocks in columns.items()})


def _index(blocks, block, start):
    return blocks.index(block, start) if block in blocks[start:] else None


def tabs(columns):
    """Blocks of several backends in a tab for each that has some."""
    columns = {row: blocks for row, blocks in columns.items() if blocks}
    if not columns:
        return []
    lines = ['::::{tab-set}', f':sync-group: {SYNC_GROUP}', '']
    for row, blocks in columns.items():
        lines += [f':::{{tab-item}} {row.title}', f':sync: {row.tab}', '']
        lines += [line for block in blocks for line in lines_of(block)] + [':::', '']
    return [*lines, '::::', '']


def table(rows):
    """A table of two columns.

    Args:
        rows: pairs of Markdown, the first of which are the headings.
    """
    rows = [' | '.join(('', *(cell.replace('|', r'\|') for cell in row), '')).strip()
            for row in rows]
    return [rows[0], '| --- | --- |', *rows[1:], '']
