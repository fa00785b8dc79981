"""In each framework's notebook every class, function and import of a cell is used by code."""
import ast
import functools
from collections import Counter
from dataclasses import dataclass

from d2lrnn import BACKENDS

from tools.chapter import ALL

LIBRARY = 'd2l'
DEFINITIONS = (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)


def find(book):
    for source in book.chapters:
        read = {cell: _parse(cell.source) for cell in source.cells}
        said = {}
        for backend in BACKENDS:
            parts = [(cell, part) for cell, parts in read.items()
                     if cell.tab in (backend.tab, ALL) for part in parts]
            for found in _unused(parts, book.library / backend.module):
                said.setdefault(found, []).append(backend.title)
        for (line, name, kind), titles in said.items():
            yield source.finding(line, f'the {kind} {name} is used by no code of the notebook for '
                                 f'{", ".join(titles)}; use it or remove it')


@dataclass(frozen=True)
class Part:
    """A statement of a cell."""
    defines: tuple  # (name, line in the cell, kind)
    reads: frozenset
    strings: frozenset
    by_name: bool  # takes objects of the library by names in variables


def _unused(parts, library):
    """(line, name, kind) of what the statements of one notebook define and never read."""
    by_name = any(part.by_name for _, part in parts)
    reads = [part.reads | part.strings if by_name else part.reads for _, part in parts]
    counts = Counter(name for read in reads for name in read)
    for own, (cell, part) in zip(reads, parts):
        for name, line, kind in part.defines:
            # a definition that only its own body names is not used
            used = counts[name] > (name in own)
            if not used and not (cell.include and name in _reached(library, counts - Counter(own))):
                yield cell.body + line - 1, name, kind


def _parse(code):
    lines = ['pass' if line.startswith(('%', '!')) else line for line in code.split('\n')]
    try:
        return [_part(statement) for statement in ast.parse('\n'.join(lines)).body]
    except SyntaxError:
        return []  # the cell will fail when it is executed, and say so better


def _part(statement):
    reads, strings, by_name = set(), set(), False
    for node in ast.walk(statement):
        if isinstance(getattr(node, 'ctx', None), ast.Store):
            continue
        if isinstance(node, ast.Name):
            reads.add(node.id)
        elif isinstance(node, ast.Attribute) and _is_library(node.value):
            reads.add(node.attr)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            strings.add(node.value)
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            by_name |= node.func.id == 'getattr' and any(map(_is_library, node.args[:1]))
    return Part(tuple(_defined(statement)), frozenset(reads), frozenset(strings), by_name)


def _defined(statement):
    if isinstance(statement, DEFINITIONS):
        # what is added to a class is called by the library
        if not any('add_to_class' in ast.dump(each) for each in statement.decorator_list):
            kind = 'class' if isinstance(statement, ast.ClassDef) else 'function'
            yield statement.name, statement.lineno, kind
    elif isinstance(statement, (ast.Import, ast.ImportFrom)):
        for alias in statement.names:
            yield (alias.asname or alias.name).partition('.')[0], alias.lineno, 'import'


def _is_library(node):
    return isinstance(node, ast.Name) and node.id == LIBRARY


def _reached(library, names):
    """All names of a backend that code with these names comes to."""
    reads, found, pending = _library(library), set(), list(names)
    while pending:
        name = pending.pop()
        if name not in found:
            found.add(name)
            pending += reads.get(name, ())
    return found


@functools.cache
def _library(library):
    """What each class and function of a backend reads: name -> names."""
    reads = {}
    for path in sorted(library.glob('*.py')):
        for statement in ast.parse(path.read_bytes()).body:
            if isinstance(statement, DEFINITIONS):
                names = {node.attr if isinstance(node, ast.Attribute) else node.id
                         for node in ast.walk(statement)
                         if isinstance(node, (ast.Name, ast.Attribute))}
                reads.setdefault(statement.name, set()).update(names - {statement.name})
    return reads
