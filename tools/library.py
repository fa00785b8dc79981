"""Reads what a backend offers from the library's syntax trees, without importing a framework."""
import ast
import copy
import functools
from dataclasses import dataclass
from pathlib import Path

import d2lrnn

LIBRARY = Path(d2lrnn.__file__).parent
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class LibraryError(Exception):
    """Something in the library that cannot be shown; the message starts with file:line."""


@dataclass(frozen=True, eq=False)
class Definition:
    """A class, function, method or assignment, where it stands."""
    file: 'File'
    name: str
    node: ast.AST

    @property
    def place(self):
        return self.file.name, self.name


@dataclass(frozen=True)
class Doc:
    """A docstring and where it stands."""
    text: str
    path: str
    line: int

    def error(self, line, message):
        """Return the error for a line of the text, counted from 0."""
        return LibraryError(f'{self.path}:{self.line + line}: {message}')


class File:
    """A file's names.

    Args:
        root: folder of the library.
        name: dotted name in it.
    """

    def __init__(self, root, name):
        path = root.joinpath(*name.split('.'))
        path = path / '__init__.py' if path.is_dir() else path.with_suffix('.py')
        self.root, self.name, self.is_folder = root, name, path.name == '__init__.py'
        self.shown = path.relative_to(root.parent).as_posix()
        try:
            self.tree = ast.parse(path.read_text(encoding='utf-8'))
        except SyntaxError as error:
            raise LibraryError(f'{self.shown}:{error.lineno}: {error.msg}') from error
        except OSError as error:
            raise LibraryError(f'{self.shown}:1: {error.strerror}; it is of the library, so '
                               'put it back or take it out of d2lrnn.BACKENDS') from error
        self.bound = dict(self._bindings())

    def _bindings(self):
        """Yield each name of the top level: its statement, or (file, name) or text of an import."""
        for node in self.tree.body:
            if isinstance(node, ast.ImportFrom):
                origin = self._origin(node)
                for alias in node.names:
                    yield alias.asname or alias.name, (
                        (origin, alias.name) if node.level else f'{node.module}.{alias.name}')
            elif isinstance(node, ast.Import):
                for alias in node.names:
                    top = alias.name.partition('.')[0]
                    yield alias.asname or top, alias.name if alias.asname else top
            elif isinstance(node, (*FUNCTIONS, ast.ClassDef)):
                yield node.name, node
            else:
                for target in targets(node):
                    yield target, node

    def _origin(self, node):
        if not node.level:
            return node.module
        parts = self.name.split('.')
        parts = parts[:len(parts) - node.level + self.is_folder]
        return '.'.join([*parts, *filter(None, [node.module])])

    def sentence(self):
        """The first line of its docstring."""
        return (ast.get_docstring(self.tree) or '').partition('\n')[0]

    def stars(self):
        """Names of the files that it imports as a whole."""
        return [self._origin(node) for node in self.tree.body if isinstance(node, ast.ImportFrom)
                and node.level and node.names[0].name == '*']

    def exported(self):
        """Names that `from this import *` brings."""
        listed = self.bound.get('__all__')
        if listed is None:
            return [name for name in self.bound if not name.startswith('_')]
        names = [name for name in self.bound if name != '__all__']
        code = compile(ast.Expression(listed.value), self.shown, 'eval')
        return eval(code, {'__builtins__': {}, 'dir': lambda: sorted(names)})

    def external(self):
        """Names that the file takes from outside of the library, as attributes or by import."""
        found = {value.rpartition('.')[2] for value in self.bound.values()
                 if isinstance(value, str)}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Attribute):
                head = ast.unparse(node).partition('.')[0]
                if isinstance(self.bound.get(head), str):
                    found.add(node.attr)
        return found


class Library:
    """The library's files.

    Args:
        root: its folder.
    """

    def __init__(self, root=LIBRARY):
        self.root = root
        self.file = functools.cache(functools.partial(File, root))
        self._shadows = {}

    def is_file(self, name):
        path = self.root.joinpath(*name.split('.'))
        return path.with_suffix('.py').is_file() or (path / '__init__.py').is_file()

    def resolve(self, file, dotted):
        """What a dotted name in a file is: a Definition, a File, or text for what is outside."""
        head, _, rest = dotted.partition('.')
        bound = file.bound.get(head, head)
        if isinstance(bound, str):
            return f'{bound}.{rest}' if rest else bound
        if not isinstance(bound, tuple):
            return Definition(file, head, bound)
        origin, name = bound
        if self.is_file(f'{origin}.{name}'):
            inner = self.file(f'{origin}.{name}')
            return self.resolve(inner, rest) if rest else inner
        return self.resolve(self.file(origin), f'{name}.{rest}' if rest else name)

    def bases(self, found):
        """What stands behind the bases of a class."""
        return [self.resolve(found.file, ast.unparse(base)) for base in found.node.bases]

    def lineage(self, found):
        """A class and its bases in this library, in the order in which Python looks into them."""
        return [shadow.found for shadow in self._shadow(found).__mro__[:-1]]

    def _shadow(self, found):
        if found.place not in self._shadows:
            bases = [self._shadow(base) for base in self.bases(found)
                     if isinstance(base, Definition)]
            self._shadows[found.place] = type(found.name, tuple(bases), {'found': found})
        return self._shadows[found.place]

    def doc(self, found):
        """The docstring of a definition, or None."""
        body = getattr(found.node, 'body', [])
        text = ast.get_docstring(found.node) if body and hasattr(found.node, 'name') else None
        if text is not None:
            if body[0].value.value[:1].isspace():
                raise LibraryError(f'{found.file.shown}:{body[0].lineno}: a docstring starts '
                                   'right after its quotes, with one sentence')
            return Doc(text, found.file.shown, body[0].lineno)
        for node in body:
            if isinstance(node, ast.Assign) and targets(node) == ['__doc__']:
                return self.doc(self.resolve(found.file, ast.unparse(node.value.value)))
        return None

    def arguments(self, found):
        """The arguments of a class's constructor, as ast has them, with fields as arguments."""
        made = ast.arguments([], [], None, [], [], None, [])
        for base in reversed(self.lineage(found)):
            own = [node for node in base.node.body if isinstance(node, FUNCTIONS)
                   and node.name == '__init__']
            if own:
                made = without_first(own[0].args)
            else:
                made = with_fields(made, base.node)
        return made


def targets(node):
    """Plain names that a statement assigns to."""
    if not isinstance(node, (ast.Assign, ast.AnnAssign)):
        return []
    found = node.targets if isinstance(node, ast.Assign) else [node.target]
    return [target.id for target in found if isinstance(target, ast.Name)]


def without_first(args):
    """A method's arguments without `self`."""
    args = copy.deepcopy(args)
    (args.posonlyargs or args.args).pop(0)
    return args


def with_fields(args, node):
    """Arguments, then the fields of a class that has no constructor of its own."""
    args = copy.deepcopy(args)
    plain = [arg.arg for arg in args.args]
    defaults = dict(zip(plain, [None] * (len(plain) - len(args.defaults)) + args.defaults))
    for part in node.body:
        if isinstance(part, ast.AnnAssign):
            defaults[part.target.id] = part.value
            if 'init=False' in ast.unparse(part):
                del defaults[part.target.id]
    args.args = [ast.arg(name) for name in defaults]
    args.defaults = [value for value in defaults.values() if value]
    return args


def bare(args):
    """Arguments as text, without their types."""
    args = copy.deepcopy(args)
    for arg in ast.walk(args):
        if isinstance(arg, ast.arg):
            arg.annotation = None
    return ast.unparse(args)


def names(args):
    """Names of arguments."""
    return frozenset(arg.arg for arg in ast.walk(args) if isinstance(arg, ast.arg))
