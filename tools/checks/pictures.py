"""Pictures have an alternative text, are used and referred to, and our SVGs have title and desc."""
import xml.etree.ElementTree as ElementTree

from tools import prose
from tools.checks.sources import Finding

SVG = '{http://www.w3.org/2000/svg}'
WORDS = 5  # an alternative text has more


def find(book):
    used, mentioned = set(), set()
    for source in book.chapters:
        for block in source.text.blocks:
            mentioned.update(piece.target.lower() for piece in block.pieces if piece.role)
    for source in book.sources:
        yield from _inline(book, source, used)
        for directive, _ in source.text.directives:
            if directive.name in ('figure', 'image'):
                used.add((source.path.parent / directive.argument).resolve())
                yield from _figure(source, directive, mentioned)
        if source.chapter and not any(each.name == 'figure' for each, _ in source.text.directives):
            yield source.finding(1, 'no {figure}; a chapter has at least one picture of our own')
    for path in sorted((book.folder / 'img').glob('*')):
        if path.resolve() not in used:
            yield Finding(path, 1, 'no text shows this picture; show it or remove it')
        if path.suffix == '.svg':
            yield from _svg(path)


def _inline(book, source, used):
    for block in source.text.blocks:
        for piece in block.pieces:
            if piece.kind == 'image':
                used.add((source.path.parent / piece.address).resolve())
                if len(piece.text.split()) <= WORDS:
                    yield source.finding(piece.line, f'a picture with the alternative text '
                                         f'{piece.text!r}; say in more than {WORDS} words what it '
                                         'shows')


def _figure(source, directive, mentioned):
    try:
        options = directive.options
    except prose.OptionsError:
        return  # the rule of cells tells of it
    alternative = options.get('alt')
    if len(str(alternative or '').split()) <= WORDS:
        yield source.finding(directive.line, f'a picture with the alternative text '
                             f'{alternative!r}; say in more than {WORDS} words what it shows')
    name = options.get('name')
    if directive.name == 'figure' and (not name or str(name).lower() not in mentioned):
        yield source.finding(directive.line, 'a figure that no text refers to; give it a :name: '
                             'and refer to it by {numref}')


def _svg(path):
    try:
        root = ElementTree.parse(path).getroot()
    except ElementTree.ParseError as error:
        yield Finding(path, error.position[0], f'is no SVG: {error}; correct it')
        return
    for name in ('title', 'desc'):
        element = root.find(f'{SVG}{name}')
        if element is None or not (element.text or '').strip():
            yield Finding(path, 1, f'an SVG without a <{name}>; add one for who cannot see it')
