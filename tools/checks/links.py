"""Relative links and pictures exist, with their anchors; links to the web are well-formed."""
import re
from urllib.parse import unquote, urlsplit

CHAPTER_ANCHORS = 3  # levels of headings with an anchor, as site/conf.py has it
DOI = re.compile(r'/10\.\d{4,9}/\S+')
HOST = re.compile(r'(?:[a-z0-9-]+\.)+[a-z]{2,}')
LOCAL = {'localhost', '127.0.0.1'}


def find(book):
    for source in book.sources:
        for block in source.text.blocks:
            for piece in block.pieces:
                if piece.kind in ('link_open', 'image') and piece.address is not None:
                    for message in _faults(book, source, piece.address):
                        yield source.finding(piece.line, message)
        for directive, _ in source.text.directives:
            if directive.name in ('figure', 'image'):
                for message in _faults(book, source, directive.argument):
                    yield source.finding(directive.line, message)


def _faults(book, source, address):
    if re.match(r'[a-z][a-z0-9+.-]*:|//', address, re.IGNORECASE):
        return _web(address)
    return _relative(book, source, address)


def _web(address):
    try:
        parts = urlsplit(address)
        host = parts.hostname or ''
    except ValueError as error:
        return [f'{address} is no address: {error}; correct it']
    if parts.scheme == 'mailto' or host in LOCAL:
        return []
    if parts.scheme != 'https':
        return [f'{address} is no link by https; begin it with https://']
    if not HOST.fullmatch(host) or re.search(r'\s', unquote(address)):
        return [f'{address} is not well-formed; write https://host/path without spaces']
    if host in ('doi.org', 'dx.doi.org') and not DOI.fullmatch(parts.path):
        return [f'{address} is no DOI; write https://doi.org/10.number/name']
    return []


def _relative(book, source, address):
    path, _, anchor = address.partition('#')
    target = (source.path.parent / unquote(path)).resolve() if path else source.path
    if not target.exists():
        return [f'{address} leads to a file that does not exist; correct the path, which counts '
                f'from {source.path.parent.name or "the root"}/']
    if book.root not in (target, *target.parents):
        return [f'{address} leads out of the project; keep a copy inside']
    if not anchor:
        return []
    other = next((each for each in book.sources if each.path == target), None)
    if other is None:
        return []
    level = CHAPTER_ANCHORS if other.chapter else 6
    labels = {label.name for each in book.chapters for label in each.text.labels
              if other.chapter and (not path or each is other)}
    if anchor not in other.text.anchors(level) | labels:
        return [f'{address} names an anchor that {target.name} does not have; it has '
                f'{", ".join(sorted(other.text.anchors(level)))}']
    return []
