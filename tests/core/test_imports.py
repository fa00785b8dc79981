"""The core loads no framework."""
import ast
import subprocess
import sys
from pathlib import Path

import pytest

import d2lrnn
from d2lrnn import BACKENDS

ROOT = Path(d2lrnn.__file__).parent
FRAMEWORKS = {backend.module for backend in BACKENDS}  # their top-level modules have these names
MAY_IMPORT = {'numpy', 'matplotlib', 'matplotlib_inline', 'tqdm', 'pooch', 'safetensors', 'IPython',
              '__version__'}  # the last from d2lrnn itself

LOAD = '''
import importlib, pkgutil, sys

asked = []

class Finder:
    """Notes what is asked for, whether it is installed or not."""
    @staticmethod
    def find_spec(name, path=None, target=None):
        asked.append(name)

sys.meta_path.insert(0, Finder)
import d2lrnn, d2lrnn.core
for module in pkgutil.iter_modules(d2lrnn.core.__path__):
    importlib.import_module('d2lrnn.core.' + module.name)
print(*sorted({name.split('.')[0] for name in {*asked, *sys.modules}}))
print(*sorted(name for name in sys.modules if name.startswith('d2lrnn')))
'''


@pytest.fixture(scope='module')
def loaded():
    done = subprocess.run([sys.executable, '-c', LOAD], cwd=ROOT.parent, capture_output=True,
                          text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    names, own = done.stdout.splitlines()
    assert done.stderr == ''  # quiet
    return set(names.split()), set(own.split())


def test_core_loads_no_framework(loaded):
    names, own = loaded
    assert not names & FRAMEWORKS
    assert {'numpy', 'd2lrnn'} <= names
    assert {f'd2lrnn.core.{path.stem}' for path in (ROOT / 'core').glob('[!_]*.py')} <= own
    assert not own & {f'd2lrnn.{name}' for name in FRAMEWORKS}


def imports(path):
    """Return the top-level modules that a file imports, also within functions."""
    for node in ast.walk(ast.parse(path.read_text(encoding='utf-8'))):
        if isinstance(node, ast.Import):
            yield from (name.name.split('.')[0] for name in node.names)
        elif isinstance(node, ast.ImportFrom) and node.level == 0:
            yield node.module.split('.')[0]
        elif isinstance(node, ast.ImportFrom) and node.level > 1:
            yield from ([node.module.split('.')[0]] if node.module else
                        [name.name for name in node.names])


@pytest.mark.parametrize('path', sorted((ROOT / 'core').glob('*.py')), ids=lambda path: path.name)
def test_core_imports_little(path):
    assert set(imports(path)) <= MAY_IMPORT | set(sys.stdlib_module_names)


@pytest.mark.parametrize('backend', BACKENDS, ids=lambda backend: backend.module)
def test_a_backend_knows_no_other(backend):
    files = sorted((ROOT / backend.module).glob('*.py'))
    assert files, f'd2lrnn/{backend.module} is missing'
    for path in files:
        assert not set(imports(path)) & (FRAMEWORKS - {backend.module}), path
