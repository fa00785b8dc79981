"""The running text of a MyST file: its blocks, what they are made of, and the labels in it."""
import functools
import re
from dataclasses import dataclass, field

from myst_parser.slugs import github_slugify, unique_slug

from tools import prose

# What stands for a piece that is no text, so that a rule can look at the words around it.
SIGNS = {'code_inline': '\ue000', 'math_inline': '\ue001', 'myst_role': '\ue002', 'image': '\ue003',
         'html_inline': '', 'substitution_inline': '\ue000', 'math_inline_double': '\ue001'}
CITED = '\ue004'
# Directives whose argument is a path or a language, not words.
NO_TITLE = prose.LITERAL | {'figure', 'image', 'include', 'cell-figure', 'tab-set', 'solution-end'}
FIGURES = {'figure': 'figure', 'cell-figure': 'figure', 'table': 'table', 'list-table': 'table',
           'csv-table': 'table', 'code-block': 'listing', 'math': 'equation'}


@dataclass(frozen=True)
class Piece:
    """A token inside of a block."""
    kind: str  # of markdown-it: text, code_inline, math_inline, myst_role, link_open, image, ...
    text: str
    line: int
    role: str | None = None
    address: str | None = None

    @property
    def target(self):
        """What a role refers to, without a title of its own."""
        return ' '.join(prose.titled(self.text)[1].split())


@dataclass(frozen=True)
class Block:
    """A paragraph, heading, cell of a table, title of a directive or alternative text."""
    kind: str
    line: int
    raw: str
    pieces: tuple[Piece, ...]
    around: tuple[prose.Directive, ...]  # outermost first
    level: int = 0          # of a heading
    item: tuple[int, int] | None = None  # number and line of the numbered item it is in

    @functools.cached_property
    def words(self):
        """The text with a sign for each piece that is none."""
        return ''.join(text for text, _ in self._runs)

    @functools.cached_property
    def _runs(self):
        return [(_words(piece), piece.line) for piece in self.pieces]

    def line_of(self, offset):
        """The line of a character of `words`."""
        for text, line in self._runs:
            if offset < len(text):
                return line
            offset -= len(text)
        return self.line


def _words(piece):
    if piece.kind in ('softbreak', 'hardbreak'):
        return '\n'
    if piece.role and piece.role.startswith('cite'):
        return CITED
    return piece.text if piece.kind == 'text' else SIGNS.get(piece.kind, '')


@dataclass(frozen=True)
class Label:
    name: str
    kind: str  # section, figure, table, listing, equation, or place for what has no title
    line: int
    around: tuple[prose.Directive, ...]


@dataclass
class Text:
    """All that a file says, in order."""
    blocks: list[Block] = field(default_factory=list)
    directives: list[tuple[prose.Directive, tuple[prose.Directive, ...]]] = field(
        default_factory=list)  # each with those around it
    labels: list[Label] = field(default_factory=list)
    formulas: list[tuple[int, str]] = field(default_factory=list)
    code: list[tuple[int, str]] = field(default_factory=list)  # blocks that are no directive
    faults: list[tuple[int, str]] = field(default_factory=list)

    @functools.cached_property
    def headings(self):
        return [block for block in self.blocks if block.kind == 'heading']

    def section(self, line, level=2):
        """First and last line of the section of at most this level that a line stands in."""
        starts = [block.line for block in self.headings
                  if block.level <= level and not block.around]
        before = [start for start in starts if start <= line]
        after = [start for start in starts if start > line]
        return (before or [1])[-1], (after or [float('inf')])[0] - 1

    def in_solution(self, line):
        """Whether a line stands between {solution-start} and {solution-end}."""
        before = [directive.name for directive, _ in self.directives
                  if directive.name.startswith('solution-') and directive.line <= line]
        return bool(before) and before[-1] == 'solution-start'

    def anchors(self, level=6):
        """The names of its headings up to a level, in a link's `#name`."""
        slugs = set()
        for block in self.headings:
            if block.level <= level:
                title = ''.join(piece.text for piece in block.pieces
                                if piece.kind in ('text', 'code_inline'))
                slugs.add(unique_slug(github_slugify(title), slugs))
        return slugs


def read(text):
    """The Text of a MyST file."""
    found = Text()
    _walk(text, 1, (), None, found)
    return found


def _walk(text, line, around, item, found):
    tokens = prose.parser().parse(text)
    lists, numbers = [], []
    for place, token in enumerate(tokens):
        start = line + token.map[0] if token.map else None
        if token.type in ('ordered_list_open', 'bullet_list_open'):
            lists.append(token.type)
        elif token.type in ('ordered_list_close', 'bullet_list_close'):
            lists.pop()
        elif token.type == 'list_item_open':
            numbers.append((int(token.info), start) if 'ordered' in lists[-1] else None)
        elif token.type == 'list_item_close':
            numbers.pop()
        elif token.type == 'inline':
            opening = tokens[place - 1]
            kind = {'h': 'heading', 't': 'cell'}.get(opening.tag[0], 'paragraph')
            level = int(opening.tag[1]) if kind == 'heading' else 0
            found.blocks.append(Block(kind, start, token.content, _pieces(token, start), around,
                                      level, numbers[0] if numbers else item))
        elif token.type in ('math_block', 'math_block_label', 'amsmath'):
            found.formulas.append((start, token.content))
            if token.type == 'math_block_label':
                found.labels.append(Label(token.info, 'equation', start, around))
        elif token.type == 'myst_target':
            kind = _kind(tokens[place + 1:], line)
            found.labels.append(Label(token.content.strip(), kind, start, around))
        elif token.type in ('fence', 'colon_fence', 'code_block'):
            directive = prose.as_directive(token, line, tuple(each.name for each in around))
            if directive is None:
                found.code.append((start, token.content))
            else:
                _enter(directive, around, numbers[0] if numbers else item, found)


def _enter(directive, around, item, found):
    found.directives.append((directive, around))
    try:
        options, body = directive.options, directive.body
    except prose.OptionsError as error:
        found.faults.append(error.args)
        return
    name = options.get('name') or options.get('label')
    if isinstance(name, str) and name:
        kind = FIGURES.get(directive.name, 'place')
        found.labels.append(Label(name, kind, directive.line, around))
    if directive.argument and directive.name not in NO_TITLE:
        _line(directive.argument, 'title', directive.line, (*around, directive), item, found)
    if isinstance(options.get('alt'), str):
        at = next((directive.line + 1 + number for number, line
                   in enumerate(directive.content.split('\n')) if line.startswith(':alt:')),
                  directive.line)
        _line(options['alt'], 'alternative', at, (*around, directive), item, found)
    if directive.name not in prose.LITERAL:
        _walk(body, directive.body_line, (*around, directive), item, found)


def _line(text, kind, line, around, item, found):
    for token in prose.parser().parseInline(text):
        found.blocks.append(Block(kind, line, text, _pieces(token, line), around, 0, item))


def _kind(following, line):
    for token in following:
        if token.type == 'myst_target':
            continue
        if token.type == 'heading_open':
            return 'section'
        directive = prose.as_directive(token, line, ())
        return FIGURES.get(directive.name, 'place') if directive else 'place'
    return 'place'


def _pieces(token, line):
    """The children of an inline token; a line is found by where a child stands in its source."""
    raw, at, pieces = token.content, 0, []
    for child in token.children or ():
        here = at
        if child.type in ('softbreak', 'hardbreak'):
            here = at = raw.find('\n', at) + 1 or at
        elif child.content and '\n' in raw:
            here, at = _span(child, raw, at)
        pieces.append(Piece(child.type, child.content, line + raw.count('\n', 0, here),
                            child.meta.get('name') if child.type == 'myst_role' else None,
                            child.attrGet('href') or child.attrGet('src')))
    return tuple(pieces)


def _span(child, raw, at):
    if child.type == 'text' and (start := raw.find(child.content, at)) >= 0:
        return start, start + len(child.content)
    # spaces in code may have been line ends, and backslashes are gone from text
    words = child.content.split() or ['']
    match = re.compile(r'\s+'.join(map(re.escape, words))).search(raw, at)
    return match.span() if match else (at, at)
