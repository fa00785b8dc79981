"""What a backend's folder defines, read from its syntax trees without importing a framework."""
import ast
import re
from dataclasses import dataclass, field
from pathlib import Path

import d2lrnn

ROOT = Path(d2lrnn.__file__).parent
ADAPTERS = Path(__file__).parents[1] / 'adapters'
# The same names stand for what each framework has; tests/backend/test_ops.py calls them.
NOT_COMPARED = {'ops'}
KEY = re.compile(r'(?P<lacks>-?)(?P<name>[\w.]+?)(\((?P<no>-?)(?P<argument>\w+)\))?'
                 r'(: (?P<block>equation|Shapes))?$')


@dataclass
class Definition:
    """A function, method or class; a class has its constructor's arguments."""
    arguments: dict = field(default_factory=dict)  # name: default, as source text
    blocks: dict = field(default_factory=dict)     # 'equation' and 'Shapes': text


def arguments(node):
    """Return a function's arguments and their defaults, without self."""
    args = node.args
    plain = args.posonlyargs + args.args
    defaults = [None] * (len(plain) - len(args.defaults)) + args.defaults
    found = {arg.arg: default for arg, default in zip(plain, defaults)}
    found.update({arg.arg: default for arg, default in zip(args.kwonlyargs, args.kw_defaults)})
    found.update({prefix + arg.arg: None for prefix, arg in (('*', args.vararg), ('**', args.kwarg))
                  if arg})
    found.pop('self', None)
    return {name: default and ast.unparse(default) for name, default in found.items()}


def fields(node):
    """Return a dataclass's fields and their defaults, without those that are not arguments."""
    found = {}
    for part in node.body:
        if isinstance(part, ast.AnnAssign):
            default = part.value and ast.unparse(part.value)
            if not (default and 'init=False' in default):
                match = re.match(r'(?:\w+\.)?field\(default=(.*?)(?:, kw_only=True)?\)$',
                                 default or '')
                found[part.target.id] = match.group(1) if match else default
    return found


def blocks(node):
    """Return the equation and the Shapes of a docstring, with single spaces."""
    doc = ast.get_docstring(node) or ''
    found = {}
    equations = re.findall(r'\$\$.*?\$\$', doc, re.S)
    if equations:
        found['equation'] = ' '.join(' '.join(equations).split())
    shapes = re.search(r'^Shapes:\n(.*?)(?:\n\n|\Z)', doc, re.S | re.M)
    if shapes:
        found['Shapes'] = ' '.join(shapes.group(1).split())
    return found


def definitions(tree, stem, known):
    """Return a file's public definitions by dotted name, in their order.

    Args:
        known: the definitions of classes by plain name, for the constructors that are inherited.
    """
    found = {}
    for node in tree.body:
        if isinstance(node, ast.FunctionDef) and not node.name.startswith('_'):
            found[f'{stem}.{node.name}'] = Definition(arguments(node), blocks(node))
        if not isinstance(node, ast.ClassDef) or node.name.startswith('_'):
            continue
        bases = [known.get(ast.unparse(base).rsplit('.', 1)[-1]) for base in node.bases]
        inherited = next((base.arguments for base in bases if base), {})
        definition = Definition({**inherited, **fields(node)}, blocks(node))
        found[f'{stem}.{node.name}'] = known[node.name] = definition
        for part in node.body:
            if not isinstance(part, ast.FunctionDef):
                continue
            if part.name == '__init__':
                definition.arguments = arguments(part)
            elif not part.name.startswith('_'):
                found[f'{stem}.{node.name}.{part.name}'] = Definition(arguments(part), blocks(part))
    return found


def exports(tree):
    """Return what a folder's __init__ imports, by module."""
    return {node.module: sorted(name.name for name in node.names)
            for node in tree.body if isinstance(node, ast.ImportFrom)}


class Folder:
    """A backend's folder.

    Args:
        name: of the backend's module.
    """

    def __init__(self, name):
        self.name = name
        self.files = {path.stem: ast.parse(path.read_text(encoding='utf-8'))
                      for path in sorted((ROOT / name).glob('*.py'))}
        self.exports = exports(self.files.get('__init__', ast.parse('')))
        self.found, known = {}, {}
        for stem in sorted(self.files, key=lambda stem: (stem != 'module', stem != 'rnn', stem)):
            if stem not in NOT_COMPARED:
                self.found.update(definitions(self.files[stem], stem, known))
        self.differences = self._differences()

    def _differences(self):
        path = ADAPTERS / f'{self.name}.py'
        if not path.exists():
            return {}
        texts = {}
        for node in ast.parse(path.read_text(encoding='utf-8')).body:
            if not isinstance(node, ast.Assign):
                continue
            name = ast.unparse(node.targets[0])
            if isinstance(node.value, ast.Constant):
                texts[name] = node.value.value
            elif name == 'DIFFERENCES':
                return {ast.literal_eval(key): texts.get(ast.unparse(reason))
                        or ast.literal_eval(reason)
                        for key, reason in zip(node.value.keys, node.value.values)}
        return {}

    def keys(self):
        """Return the differences' keys, parsed."""
        return {key: KEY.match(key) for key in self.differences}

    def beside(self, other):
        """Return the definitions without what is this backend's alone or lacking in the other."""
        kept = {name: Definition(dict(definition.arguments), dict(definition.blocks))
                for name, definition in self.found.items()}
        for folder, own in (self, ''), (other, '-'):
            for key in folder.keys().values():
                name = key['name']
                if key['block']:
                    if name in kept:
                        kept[name].blocks.pop(key['block'], None)
                elif key['argument']:
                    if key['no'] == own and name in kept:
                        kept[name].arguments.pop(key['argument'], None)
                elif key['lacks'] == own:
                    for gone in [n for n in kept if n == name or n.startswith(name + '.')]:
                        del kept[gone]
        return kept
