"""References name a label that exists and is of their kind; labels are unique, outside of tabs."""
from tools.checks.sources import Finding

KINDS = {'eq': {'equation'}, 'numref': {'figure', 'table', 'listing', 'section'},
         'ref': {'figure', 'table', 'listing', 'section'}}


def find(book):
    known = {}
    for source in book.chapters:
        for label in source.text.labels:
            yield from _label(book, known, source, label)
    for source in book.chapters:
        for piece in (piece for block in source.text.blocks for piece in block.pieces):
            if piece.role in KINDS:
                yield from _reference(book, known, source, piece)
            elif piece.role == 'doc' and piece.target not in {each.name for each in book.chapters}:
                yield source.finding(piece.line, f'{{doc}} names {piece.target!r}, which is no '
                                     'chapter; correct the name')


def _label(book, known, source, label):
    if any(each.name == 'tab-item' for each in label.around):
        yield source.finding(label.line, f'the label {label.name!r} stands inside a tab, where '
                             'numbers would differ between frameworks; move it out of the tab set')
    name = label.name.lower()
    if name in known:
        other, first = known[name]
        yield source.finding(label.line, f'the label {label.name!r} is already in '
                             f'{book.place(other.path)}:{first.line}; rename one of them')
    known.setdefault(name, (source, label))


def _reference(book, known, source, piece):
    if piece.target.lower() not in known:
        yield Finding(source.path, piece.line, f'{{{piece.role}}} names the label '
                      f'{piece.target!r}, which no chapter defines; correct it or define it')
        return
    _, label = known[piece.target.lower()]
    titled = piece.role == 'ref' and piece.target != piece.text
    if label.kind not in KINDS[piece.role] and not (titled and label.kind == 'place'):
        right = [role for role in ('eq', 'numref') if label.kind in KINDS[role]]
        do = f'use {{{right[0]}}}' if right else 'move the label above a heading'
        yield source.finding(piece.line, f'{{{piece.role}}} cannot refer to {piece.target!r}, '
                             f'a label of kind {label.kind}; {do}')
