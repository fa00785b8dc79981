"""What `from d2lrnn import <backend> as d2l` offers, name by name."""
import ast
from dataclasses import dataclass, field

from tools import docstrings, library
from tools.library import FUNCTIONS, Definition

DATA = (ast.Assign, ast.AnnAssign)


@dataclass
class Offered:
    """What stands behind a public name, or behind a member of a class."""
    kind: str   # class, function, method, property, attribute, data, module or alias
    file: str   # dotted name in the library of the file that defines it
    signature: str = ''  # arguments in parentheses, the value, or what an alias stands for
    doc: tuple = ()      # blocks of the docstring, see tools/docstrings.py
    line: int = 0
    parameters: frozenset = frozenset()
    bases: tuple = ()    # public names of all of ours, then dotted names of others
    members: dict = field(default_factory=dict)  # name: Offered


def offered(source, backend):
    """All public names of a backend, in the order of its imports.

    Args:
        source: a `library.Library`.
        backend: dotted name of its folder in it.
    Returns:
        A dictionary of names, of those in a module that is offered with a dot, and Offered.
    """
    start, found = source.file(backend), {}
    for name in start.bound:
        if name != '*' and not name.startswith('_'):
            found[name] = source.resolve(start, name)
    for star in start.stars():
        inner = source.file(star)
        found.update({name: _alias_or_own(source, inner, name) for name in inner.exported()})
    for name, what in list(found.items()):
        if isinstance(what, library.File):
            found.update({f'{name}.{inner}': source.resolve(what, inner)
                          for inner, node in what.bound.items()
                          if isinstance(node, (*FUNCTIONS, ast.ClassDef))
                          and not inner.startswith('_')})
    return _Reader(source, found).everything()


def _alias_or_own(source, file, name):
    node = file.bound[name]
    if isinstance(node, DATA) and isinstance(node.value, (ast.Attribute, ast.Name)):
        return f'{file.name}:{source.resolve(file, ast.unparse(node.value))}'
    found = source.resolve(file, name)
    return f'{file.name}:{found}' if isinstance(found, str) else found


class _Reader:
    def __init__(self, source, found):
        self.source, self.found = source, found
        self.public = {what.place: name for name, what in found.items()
                       if isinstance(what, Definition)}

    def everything(self):
        return {name: self._one(what) for name, what in self.found.items()}

    def _one(self, what):
        if isinstance(what, library.File):
            return Offered('module', what.name)
        if isinstance(what, str):
            file, _, name = what.partition(':')
            return Offered('alias', file, name)
        if isinstance(what.node, ast.ClassDef):
            return self._class(what)
        return self._value(what, 'data') if isinstance(what.node, DATA) else self._function(
            what, 'function', what.node.args)

    def _value(self, found, kind):
        return Offered(kind, found.file.name, ast.unparse(found.node.value),
                       line=found.node.lineno)

    def _function(self, found, kind, args):
        parameters = library.names(args)
        signature = '' if kind == 'property' else f'({library.bare(args)})'
        return Offered(kind, found.file.name, signature,
                       docstrings.parse(self.source.doc(found), parameters),
                       found.node.lineno, parameters)

    def _class(self, found):
        args = self.source.arguments(found)
        made = self._function(found, 'class', args)
        ours = [self.public[base.place] for base in self.source.lineage(found)[1:]
                if base.place in self.public]
        made.bases = (*ours, *self._outside(found))
        made.members = {name: self._member(owner, name, node)
                        for name, (owner, node) in self._members(found).items()}
        return made

    def _outside(self, found):
        """Bases outside of the library, its own and those of bases that have no entry."""
        for base in self.source.bases(found):
            if isinstance(base, str):
                yield base
            elif base.place not in self.public:
                yield from self._outside(base)

    def _members(self, found):
        """Its own and those of bases that have no entry of their own: name: (owner, node)."""
        lineage = self.source.lineage(found)
        elsewhere = {inner.place for base in lineage[1:] if base.place in self.public
                     for inner in self.source.lineage(base)}
        members = {}
        for owner in lineage:
            if owner is lineage[0] or owner.place not in elsewhere:
                for name, node in _own_members(owner.node):
                    members.setdefault(name, (owner, node))
        return members

    def _member(self, owner, name, node):
        found = Definition(owner.file, f'{owner.name}.{name}', node)
        if isinstance(node, DATA):
            return self._value(found, 'attribute')
        decorators = [ast.unparse(part) for part in node.decorator_list]
        if {'property', 'functools.cached_property'} & set(decorators):
            return self._function(found, 'property', node.args)
        args = node.args if 'staticmethod' in decorators else library.without_first(node.args)
        return self._function(found, 'method', args)


def _own_members(node):
    """Public methods and attributes that a class body has, and special ones with a docstring."""
    for part in node.body:
        if isinstance(part, FUNCTIONS):
            special = part.name.startswith('__') and ast.get_docstring(part)
            if not part.name.startswith('_') or special:
                yield part.name, part
        elif isinstance(part, ast.Assign):
            yield from ((name, part) for name in library.targets(part)
                        if not name.startswith('_'))
