"""A checkout with two invented frameworks, whose environments borrow the running one's packages."""
import os
import shutil
import site
import subprocess
import sys
from pathlib import Path

import psutil

from tools import envs
from tools.paths import Paths

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = '''from typing import NamedTuple

__version__ = '0'


class Backend(NamedTuple):
    module: str
    tab: str
    title: str
    extra: str


BACKENDS = (Backend('alpha', 'al', 'Alpha', 'alpha'), Backend('beta', 'be', 'Beta', 'beta'))
'''
FRONT = '''---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  name: python3
  display_name: Python 3
---
'''
INDEX = FRONT + '''# A book

```{toctree}
one
```
'''
ONE = FRONT + '''# One

```{code-cell}
:tab: al
print('alpha', 20 + 2)
```

```{code-cell}
:tab: be
print('beta', 30 + 3)
```

```{code-cell}
:tab: all
:tags: [full-epochs]
print('every', 'epoch')
```
'''


def lend(environment):
    """Make an environment that sees the packages of the running Python, and finish it."""
    base = getattr(sys, '_base_executable', sys.executable)
    subprocess.run([base, '-m', 'venv', '--without-pip', environment.path], check=True)
    folder, = environment.path.glob('lib/python*/site-packages')
    (folder / 'lent.pth').write_text('\n'.join(site.getsitepackages()))
    environment.finish()


def checkout(root):
    """Write a checkout and return its paths."""
    paths = Paths(root)
    skip = shutil.ignore_patterns('__pycache__')
    shutil.copytree(ROOT / 'tools', root / 'tools', ignore=skip)
    for part in ('core', 'corpora'):
        shutil.copytree(ROOT / 'd2lrnn' / part, root / 'd2lrnn' / part, ignore=skip)
    (root / 'd2lrnn' / '__init__.py').write_text(PACKAGE)
    for name in ('setup.py', 'pyproject.toml', 'README.md'):
        shutil.copyfile(ROOT / name, root / name)
    for path in paths.requirements.glob('*.txt'):
        path.unlink()
    for name in ('alpha', 'beta'):
        (root / 'd2lrnn' / name).mkdir()
        (root / 'd2lrnn' / name / '__init__.py').write_text('from ..core.text import Vocab\n')
    for name in ('book', 'alpha', 'beta'):
        (paths.requirements / f'{name}.txt').write_text('# env: FAKE_THREADS={threads}\n')
    paths.chapters.mkdir()
    (paths.chapters / 'index.md').write_text(INDEX)
    (paths.chapters / 'one.md').write_text(ONE)
    (paths.chapters / 'refs.bib').write_text('')
    for name in ('book', 'alpha', 'beta'):
        lend(envs.get(paths, name))
    return paths


def command(paths, *arguments, **variables):
    """Command line and options for a subprocess that runs the tools of a checkout."""
    environment = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
    return [sys.executable, '-m', 'tools', *arguments], dict(
        cwd=paths.root, text=True, stdin=subprocess.DEVNULL,
        env={**environment, 'D2LRNN_OFFLINE': '1', 'D2LRNN_DATA': str(paths.root / 'data'),
             **variables})


def run(paths, *arguments, **variables):
    line, options = command(paths, *arguments, **variables)
    return subprocess.run(line, **options, capture_output=True, timeout=120)


def alive(word):
    """Command lines of the processes that have a word among their arguments."""
    return [process.info['cmdline'] for process in psutil.process_iter(['cmdline'])
            if word in (process.info['cmdline'] or [])]
