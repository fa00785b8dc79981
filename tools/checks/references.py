"""What is cited is in refs.bib and the reverse; papers have a well-formed DOI or arXiv number."""
import re

from tools.checks.sources import Finding

DOI = re.compile(r'10\.\d{4,9}/\S+')
ARXIV = re.compile(r'\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}')


def find(book):
    if book.entries is None:
        return
    cited = set()
    for source in book.chapters:
        for piece in (piece for block in source.text.blocks for piece in block.pieces):
            if piece.role and piece.role.split(':')[0] == 'cite':
                keys = [key.strip() for key in piece.text.split(',')]
                cited.update(keys)
                for key in keys:
                    if key not in book.entries:
                        yield source.finding(piece.line, f'{{{piece.role}}} names {key!r}, which '
                                             'refs.bib does not have; correct it or add the source')
    path = book.folder / 'refs.bib'
    lines = path.read_text(encoding='utf-8').split('\n')
    for key, entry in book.entries.items():
        line = next((number for number, text in enumerate(lines, 1)
                     if re.match(rf'\s*@\w+\s*{{\s*{re.escape(key)}\s*,', text)), 1)
        if key not in cited:
            yield Finding(path, line, f'{key} is not cited; cite it or remove it')
        fields = {name.lower(): value for name, value in entry.fields.items()}
        for name, pattern in (('doi', DOI), ('eprint', ARXIV)):
            if name in fields and not pattern.fullmatch(fields[name]):
                yield Finding(path, line, f'{key} has the {name} {fields[name]!r}, which is not '
                              'well-formed; correct it')
        if entry.type != 'book' and not {'doi', 'eprint'} & set(fields):
            yield Finding(path, line, f'{key} has neither a doi nor an eprint; add one')
