"""Cuts a class, method, function or assignment out of the library as a chapter shows it."""
import ast


class ExcerptError(Exception):
    """An :include: that cannot be filled."""


def excerpt(path, name, shown=frozenset()):
    """The source of one object, written as a reader with `d2l` imported would write it.

    Args:
        path: file of a backend.
        name: `Object`, or `Class.method`.
        shown: names of that file which earlier cells of the chapter have defined.
    """
    source = path.read_bytes().replace(b'\r\n', b'\n')
    module = ast.parse(source)
    node, owner = _find(module, name, path)
    edits = _Edits(source, node, owner)
    for inner in ast.walk(node):
        if isinstance(inner, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            edits.shorten_docstring(inner)
    own = {key for key in _top_level(module) if key != name} - set(shown)
    offered = _offered(path.parent)
    called = {key: _called(key, key, path.with_suffix(''), path, offered) for key in own}
    edits.rename(node, _relative_imports(module, path, offered) | called)
    text = edits.text()
    if owner:
        known = owner if owner in shown else f'd2l.{owner}'
        text = f'@d2l.add_to_class({known})\n{text}'
    return text


def _names(statement):
    if isinstance(statement, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
        return [statement.name]
    targets = getattr(statement, 'targets', [getattr(statement, 'target', None)])
    return [target.id for target in targets if isinstance(target, ast.Name)]


def _top_level(node):
    return {name: statement for statement in node.body for name in _names(statement)}


def _find(module, name, path):
    outer, _, inner = name.partition('.')
    objects = _top_level(module)
    if outer not in objects:
        raise ExcerptError(f'{path.name} has no {outer}; it has {", ".join(objects) or "nothing"}')
    if not inner:
        return objects[outer], None
    members = _top_level(objects[outer]) if isinstance(objects[outer], ast.ClassDef) else {}
    methods = {key: value for key, value in members.items() if hasattr(value, 'args')}
    if inner not in methods:
        raise ExcerptError(f'{path.name} has no {name}; {outer} has '
                           f'{", ".join(methods) or "no methods"}')
    return methods[inner], outer


def _imported(module, path):
    """Names that a file imports relatively: (module they come from, name there, name here)."""
    for statement in ast.walk(module):
        if isinstance(statement, ast.ImportFrom) and statement.level:
            origin = path.parents[statement.level - 1].joinpath(
                *filter(None, (statement.module or '').split('.')))
            for alias in statement.names:
                yield origin, alias.name, alias.asname or alias.name


def _relative_imports(module, path, offered):
    """What each relatively imported name is called in a chapter."""
    called = {}
    for origin, name, here in _imported(module, path):
        is_module = (origin / f'{name}.py').exists() or (origin / name).is_dir()
        called[here] = 'd2l' if is_module else _called(here, name, origin, path, offered)
    return called


def _offered(backend):
    """What `d2l` itself has: (module it comes from, name), or (module, '*')."""
    path = backend / '__init__.py'
    return {(origin, name) for origin, name, _ in _imported(ast.parse(path.read_bytes()), path)}


def _called(here, name, origin, path, offered):
    """What a chapter calls a file's name for one of a module; None if it cannot reach it."""
    if name.startswith('_'):
        return None
    if not {(origin, name), (origin, '*')}.isdisjoint(offered):
        return f'd2l.{name}'
    if origin.parent == path.parent:
        return f'd2l.{origin.name}.{name}'
    return f'd2l.{path.stem}.{here}'


def _bound(scope):
    """Names that a function makes its own."""
    arguments = scope.args
    bound = {argument.arg for argument in (
        *arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs,
        *filter(None, (arguments.vararg, arguments.kwarg)))}
    pending = list(scope.body) if isinstance(scope.body, list) else [scope.body]
    while pending:
        node = pending.pop()
        if isinstance(node, ast.Name) and not isinstance(node.ctx, ast.Load):
            bound.add(node.id)
        elif isinstance(node, ast.alias):
            bound.add((node.asname or node.name).partition('.')[0])
        elif isinstance(node, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
            bound.add(node.name)
            continue
        elif isinstance(node, ast.Lambda):
            continue
        elif isinstance(node, ast.ExceptHandler) and node.name:
            bound.add(node.name)
        pending.extend(ast.iter_child_nodes(node))
    return bound


class _Edits:
    """Replacements in a source, by the byte positions that ast gives."""

    def __init__(self, source, node, owner):
        self.source, self.owner = source, owner
        self.starts = [0]
        for line in source.split(b'\n'):
            self.starts.append(self.starts[-1] + len(line) + 1)
        first = min([node.lineno, *(item.lineno for item in getattr(node, 'decorator_list', []))])
        self.begin, self.end = self.starts[first - 1], self._span(node)[1]
        self.edits = []

    def _span(self, node):
        return (self.starts[node.lineno - 1] + node.col_offset,
                self.starts[node.end_lineno - 1] + node.end_col_offset)

    def shorten_docstring(self, node):
        if ast.get_docstring(node, clean=False) is None:
            return
        begin, end = self._span(node.body[0].value)
        literal = self.source[begin:end].decode()
        prefix = literal[:min(literal.find(quote) for quote in '\'"' if quote in literal)]
        quote = literal[len(prefix):][:3]
        quote = quote if quote in ('"""', "'''") else quote[0]
        content = literal[len(prefix) + len(quote):-len(quote)].strip()
        short = content.split('\n')[0].rstrip()
        prefix = prefix if '\\' in short else ''
        self.edits.append((begin, end, f'{prefix}{quote}{short}{quote}'))

    def rename(self, node, called):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            inside = {key: value for key, value in called.items() if key not in _bound(node)}
            body = node.body if isinstance(node.body, list) else [node.body]
            for child in ast.iter_child_nodes(node):
                self.rename(child, inside if child in body else called)
            return
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in called:
            self._rename_one(node, called[node.id])
        for child in ast.iter_child_nodes(node):
            self.rename(child, called)

    def _rename_one(self, node, name):
        if name is None:
            raise ExcerptError(f'line {node.lineno} uses {node.id}, which d2l does not have; '
                               'include it in an earlier cell, or give it a public name')
        begin, end = self._span(node)
        if self.source[begin:end].decode(errors='replace') != node.id:
            # before Python 3.12 names inside f-strings have no true positions
            raise ExcerptError(f'line {node.lineno} uses {node.id} inside an f-string, where it '
                               f'cannot be written as {name}; give it to a variable first')
        self.edits.append((begin, end, name))

    def text(self):
        out = self.source[self.begin:self.end]
        for begin, end, new in sorted(self.edits, reverse=True):
            out = out[:begin - self.begin] + new.encode() + out[end - self.begin:]
        lines = out.decode().split('\n')
        indent = len(lines[0]) - len(lines[0].lstrip())
        return '\n'.join(_dedent(lines, indent)).strip('\n')


def _dedent(lines, indent):
    # textwrap.dedent would also count the lines inside of multi-line strings
    return [line[indent:] if not line[:indent].strip() else line for line in lines]
