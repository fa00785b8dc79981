"""No role, directive, label or formula is written so that it would come out as raw text."""
import re

from tools import prose

ROLES = {'abbr', 'cite', 'cite:p', 'cite:t', 'doc', 'eq', 'math', 'numref', 'ref', 'sub', 'sup'}
DIRECTIVES = prose.LITERAL | {
    'admonition', 'attention', 'caution', 'cell-figure', 'csv-table', 'danger', 'dropdown', 'error',
    'figure', 'hint', 'image', 'important', 'list-table', 'note', 'seealso', 'solution-end',
    'solution-start', 'tab-item', 'tab-set', 'table', 'tip', 'warning'}
NAMES = '|'.join(sorted(ROLES, key=len, reverse=True))
OPENED = re.compile(r'\{[a-z][\w:-]*\}\s*\Z')     # right before a code span
BROKEN = re.compile(rf'\{{(?:{NAMES})\}}|\{{[a-z][\w:-]*\}}`')
RST = re.compile(r':[a-z][\w:-]*:\Z')
WHOLE = re.compile(rf'\s*(?:\{{[\w:-]+\}}`|:(?:{NAMES}):`|\{{(?:{NAMES})\}}.).*', re.DOTALL)
LABEL = re.compile(r'(?<!\w)\([a-z][\w-]*\)\s?=\s*$|^(?:`{3,}|:{3,})\s*(?:\{|$)', re.MULTILINE)


def find(book):
    for source in book.sources:
        for directive, _ in source.text.directives:
            if directive.name not in DIRECTIVES:
                yield source.finding(directive.line, f'{{{directive.name}}} is no directive that '
                                     f'the book knows; expected one of '
                                     f'{", ".join(sorted(DIRECTIVES))}')
        for block in source.text.blocks:
            yield from _roles(source, block)
            if source.chapter:
                yield from _text(source, block)


def _roles(source, block):
    for before, piece in zip((None, *block.pieces), block.pieces):
        if piece.role is not None and piece.role not in ROLES:
            yield source.finding(piece.line, f'{{{piece.role}}} is no role that the book knows; '
                                 f'expected one of {", ".join(sorted(ROLES))}')
        if piece.kind == 'code_inline' and before and before.kind == 'text':
            if OPENED.search(before.text):
                yield source.finding(piece.line, f'{before.text.split()[-1]} and a space before '
                                     'its text is no role; remove the space')
            elif RST.search(before.text):
                yield source.finding(piece.line, f'{before.text.split()[-1]} is how '
                                     'reStructuredText writes a role; write {name}`text`')


def _text(source, block):
    for piece, after in zip(block.pieces, (*block.pieces[1:], None)):
        if piece.kind == 'code_inline' and WHOLE.fullmatch(piece.text):
            yield source.finding(piece.line, f'the role {piece.text!r} stands inside a code span; '
                                 'take the outer backticks away')
        if piece.kind != 'text':
            continue
        opened = after is not None and after.kind == 'code_inline' and OPENED.search(piece.text)
        broken = BROKEN.search(piece.text)
        if broken and not opened:
            yield source.finding(piece.line, f'{broken[0]} would come out as text; write '
                                 '{name}`text` with both backticks')
    for match in LABEL.finditer(block.words):
        yield source.finding(block.line_of(match.start()), f'{match[0]} would come out as text; '
                             'give it a line of its own after an empty one')
    dollars = [piece for piece in block.pieces if piece.kind == 'text' and '$' in piece.text]
    escaped = block.raw.count('\\$') - sum(piece.text.count('\\$') for piece in block.pieces)
    if sum(piece.text.count('$') for piece in dollars) > escaped:
        yield source.finding(dollars[0].line, 'a $ that opens no formula; close the formula, give '
                             '$$ lines of their own, or write \\$ for the character')
