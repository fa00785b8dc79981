"""Cuts the library's docstrings into blocks that can be shown and compared.

A docstring is one sentence, then paragraphs, equations between $$, sections and a source, with
blank lines between them. In text, what stands in backticks is code and nothing else has a meaning.
"""
import re
from typing import NamedTuple

SECTIONS = ('Args', 'Attributes', 'Shapes', 'Returns', 'Yields', 'Raises')
NAMED = ('Args', 'Attributes')
HEADER = re.compile(r'([A-Z][A-Za-z]*):(.*)')
ITEM = re.compile(r'(\*{0,2}\w+(?:, \*{0,2}\w+)*): (\S.*)')
SHAPE = re.compile(r'([A-Za-z_]\w*(?:, [\w ]+)*): (\S.*)')
RAISED = re.compile(r'([A-Z]\w*(?:, [A-Z]\w*)*): (\S.*)')
CODE = re.compile(r'(``?)(?!`)(.+?)(?<!`)\1(?!`)')


class Block(NamedTuple):
    """A part of a docstring."""
    kind: str    # text, math, items or source
    title: str   # of a section
    content: tuple  # one text, or (names, text) pairs where names may be empty


def parse(doc, parameters=frozenset()):
    """The blocks of a docstring.

    Args:
        doc: a `library.Doc`, or None.
        parameters: names that Args may explain.
    Raises:
        LibraryError: what cannot be read, with its file and line.
    """
    if doc is None:
        return ()
    blocks, lines, start = [], doc.text.split('\n'), 0
    for end in range(len(lines) + 1):
        if end == len(lines) or not lines[end].strip():
            if end > start:
                blocks.append(_block(doc, start, lines[start:end], parameters))
            start = end + 1
    return tuple(blocks)


def _block(doc, start, lines, parameters):
    text = '\n'.join(lines)
    if '$$' in text:
        return _equation(doc, start, text)
    _check_code(doc, start, text)
    header = HEADER.fullmatch(lines[0])
    if header and header[1] == 'Source':
        return Block('source', 'Source', (_joined(header[2], *lines[1:]),))
    if header and header[1] in SECTIONS:
        return _section(doc, start, header, lines[1:], parameters)
    if header and not header[2].strip():
        raise doc.error(start, f'a section {header[1]}; expected one of '
                        f'{", ".join((*SECTIONS, "Source"))}')
    for line, part in enumerate(lines):
        if part[:1].isspace():
            raise doc.error(start + line, 'an indented line outside of a section')
    return Block('text', '', (_joined(*lines),))


def _equation(doc, start, text):
    inner = text.strip()[2:-2]
    if not (text.startswith('$$') and text.endswith('$$') and inner and '$' not in inner):
        raise doc.error(start, 'an equation must stand in a paragraph of its own, between $$ '
                        'and $$')
    opened = []
    for part in re.finditer(r'\\(begin|end)\{([^}]*)\}|\\.|[{}]', inner):
        if part[1] == 'begin' or part[0] == '{':
            opened.append(part[2] or '}')
        elif part[1] == 'end' or part[0] == '}':
            if not opened or opened.pop() != (part[2] or '}'):
                raise doc.error(start + inner[:part.start()].count('\n'),
                                f'{part[0]} closes what was not opened')
    if opened:
        raise doc.error(start, f'an equation that does not close {opened[-1]}')
    return Block('math', '', (inner.strip(),))


def _check_code(doc, start, text):
    rest = CODE.sub(lambda match: re.sub('[^\n]', ' ', match[0]), text)
    if '`' in rest:
        line = rest[:rest.index('`')].count('\n')
        raise doc.error(start + line, 'a backtick without its other one in the same line')


def _section(doc, start, header, body, parameters):
    title = header[1]
    if header[2].strip() or not body:
        raise doc.error(start, f'{title}: stands alone in its line, above indented lines')
    for line, part in enumerate(body, start + 1):
        if not part.startswith('    '):
            raise doc.error(line, f'a line of {title} must be indented by 4 spaces')
    if title in NAMED:
        content = _named(doc, start, title, body, parameters)
    else:
        pattern = {'Shapes': SHAPE, 'Raises': RAISED}.get(title)
        content = _sentences(_joined(*body), pattern)
    return Block('items', title, tuple(content))


def _named(doc, start, title, body, parameters):
    items, seen = [], set()
    for line, part in enumerate(body, start + 1):
        if part.startswith('        '):
            if not items:
                raise doc.error(line, f'{title} must start with a name and a colon')
            items[-1] = (items[-1][0], _joined(items[-1][1], part))
            continue
        found = ITEM.fullmatch(part[4:])
        if not found:
            raise doc.error(line, f'{part.strip()!r} in {title}; expected `name: what it is`, and '
                            'lines that go on indented by 4 more')
        names = tuple(name.lstrip('*') for name in found[1].split(', '))
        for name in names:
            if name in seen:
                raise doc.error(line, f'{name} twice in {title}')
            if title == 'Args' and name not in parameters:
                raise doc.error(line, f'{name} in Args is no argument; they are '
                                f'{", ".join(sorted(parameters)) or "none"}')
            seen.add(name)
        items.append((names, found[2]))
    missing = sorted(parameters - seen) if title == 'Args' else ()
    if missing:
        raise doc.error(start, f'Args lacks {", ".join(missing)}')
    return items


def _sentences(text, pattern):
    """Items that may share a line: `X: (a, b). H: (b, c).`"""
    if pattern is None:
        return [((), text)]
    items, rest = [], text
    while rest:
        found = pattern.match(rest)
        after = [match for match in re.finditer(r'\.\s+', rest) if pattern.match(rest, match.end())]
        end = after[0].start() + 1 if after else len(rest)
        names = tuple(found[1].split(', ')) if found else ()
        items.append((names, rest[found.start(2) if found else 0:end].strip()))
        rest = rest[end:].strip()
    return items


def _joined(*lines):
    return ' '.join(' '.join(line.split()) for line in lines).strip()
