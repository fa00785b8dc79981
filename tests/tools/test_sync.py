import ast

import pytest
from d2lrnn import BACKENDS

from tests.tools import sample
from tools import chapter
from tools.excerpt import ExcerptError, excerpt
from tools.sync import sync

STACKED = '''"""Layers."""
import torch
from torch import nn

from .. import core
from ..core.checks import check_sizes as check
from . import ops
from .module import Module

SCALE = 0.01


def _helper(x):
    return x


class Base(Module):
    """A base."""


class Stacked(Base):
    r"""A stack of é, 'layers'.

    Args:
        Module: not the class.
    """

    Module = None

    def __init__(self, num_layers, scale=SCALE):
        """Make it.

        More.
        """
        super().__init__()  # é Module stays, as this is a comment
        check(num_layers=num_layers)
        self.Module = [Module() for _ in range(num_layers)]
        text = """
    Module inside of text
"""

    @property
    def width(self):
        return ops.size(self.Module), core.text, Stacked, 'é', Module

    def local(self, Module):
        return Module, [ops for ops in Module], (lambda check: check)(1), check

    def formatted(self):
        return f'{check}'

    def private(self):
        return _helper(1)

    async def later(self):
        return 1
'''

INIT = """from ..core.checks import check_sizes
from .module import Module
from .ops import *
from .stacked import Base, Stacked
"""


@pytest.fixture
def library(tmp_path):
    for backend in BACKENDS:
        folder = tmp_path / 'd2lrnn' / backend.module
        folder.mkdir(parents=True)
        (folder / 'module.py').write_text('class Module:\n    pass\n')
        (folder / 'ops.py').write_text('def size(x):\n    return len(x)\n')
        (folder / 'stacked.py').write_text(STACKED)
        (folder / '__init__.py').write_text(INIT)
    (tmp_path / 'd2lrnn' / 'core').mkdir()
    return tmp_path / 'd2lrnn'


@pytest.fixture
def stacked(library):
    return library / 'torch' / 'stacked.py'


@pytest.fixture
def folder(tmp_path):
    return sample.write(tmp_path / 'chapters')


def including(folder, *names, code='1', ending='\n'):
    text = sample.FRONT + '# Title\n' + '\nText  \n'.join(
        sample.cells(code, options=f':include: {name}\n') for name in names)
    (folder / 'second.md').write_bytes(text.replace('\n', ending).encode())
    return folder


def test_class_is_written_as_a_reader_would(stacked):
    lines = STACKED.split('\n')
    method = excerpt(stacked, 'Stacked.__init__').split('\n')
    assert method[0] == '@d2l.add_to_class(d2l.Stacked)'
    assert method[1] == 'def __init__(self, num_layers, scale=d2l.stacked.SCALE):'
    assert method[2] == '    """Make it."""'
    assert method[3] == '    super().__init__()  # é Module stays, as this is a comment'
    assert method[4] == '    d2l.check_sizes(num_layers=num_layers)'
    assert method[5] == '    self.Module = [d2l.Module() for _ in range(num_layers)]'
    assert '    Module inside of text' in lines
    ast.parse('\n'.join(method))


def test_only_a_docstring_with_a_backslash_stays_raw(stacked):
    assert excerpt(stacked, 'Base') == 'class Base(d2l.Module):\n    """A base."""'
    stacked.write_text('class A:\n    r"""A $\\tau$.\n\n    More.\n    """\n')
    assert excerpt(stacked, 'A') == 'class A:\n    r"""A $\\tau$."""'
    stacked.write_text('def f():\n    \'It is "one".\'\n')
    assert excerpt(stacked, 'f') == 'def f():\n    \'It is "one".\''


def test_whole_class(stacked):
    stacked.write_text(STACKED.replace("f'{check}'", '1').replace('_helper(1)', '1'))
    text = excerpt(stacked, 'Stacked')
    assert text.startswith('class Stacked(d2l.Base):\n    """A stack of é, \'layers\'."""\n')
    assert "return d2l.size(self.Module), d2l.text, Stacked, 'é', d2l.Module" in text
    assert '    Module = None\n' in text
    ast.parse(text)


def test_modules_properties_and_own_class(stacked):
    assert excerpt(stacked, 'Stacked.width', {'Stacked', 'Base'}) == (
        '@d2l.add_to_class(Stacked)\n@property\ndef width(self):\n'
        "    return d2l.size(self.Module), d2l.text, Stacked, 'é', d2l.Module")


def test_locals_stay(stacked):
    assert excerpt(stacked, 'Stacked.local').split('\n')[2] == (
        '    return Module, [ops for ops in Module], (lambda check: check)(1), d2l.check_sizes')


def test_functions_values_and_coroutines(stacked):
    assert excerpt(stacked, '_helper') == 'def _helper(x):\n    return x'
    assert excerpt(stacked, 'SCALE') == 'SCALE = 0.01'
    assert excerpt(stacked, 'Stacked.later').endswith('async def later(self):\n    return 1')


def test_private_helper_has_to_be_shown_first(stacked):
    with pytest.raises(ExcerptError, match='uses _helper, which d2l does not have'):
        excerpt(stacked, 'Stacked.private')
    assert '_helper(1)' in excerpt(stacked, 'Stacked.private', {'_helper'})


def test_what_d2l_does_not_offer_is_named_by_a_module(stacked):
    text = 'from .extra import twice\nfrom ..core.checks import LIMIT as MOST\n\n'
    stacked.write_text(f'{text}def f(x):\n    return twice(x), MOST\n')
    assert excerpt(stacked, 'f').endswith('return d2l.extra.twice(x), d2l.stacked.MOST')


def test_names_in_f_strings_are_renamed_or_refused(stacked):
    try:
        assert "f'{d2l.check_sizes}'" in excerpt(stacked, 'Stacked.formatted')
    except ExcerptError as error:  # Python 3.11 tells no true position
        assert 'inside an f-string' in str(error)


def test_fills_cells_and_nothing_else(folder, library):
    including(folder, 'stacked.py:Base')
    path = folder / 'second.md'
    before = path.read_bytes()
    drifted = sync(check=True, folder=folder, library=library)
    assert drifted == [f'chapters/second.md:{line}' for line in (11, 18, 25, 32)]
    assert path.read_bytes() == before
    assert sync(folder=folder, library=library) == drifted
    body = b'class Base(d2l.Module):\n    """A base."""'
    assert path.read_bytes() == before.replace(b'\n1\n```', b'\n' + body + b'\n```')
    assert sync(folder=folder, library=library) == []
    assert sync(check=True, folder=folder, library=library) == []
    assert not list(folder.glob('.*'))


def test_windows_line_ends_and_empty_cells(folder, library):
    including(folder, 'stacked.py:SCALE', ending='\r\n')
    path = folder / 'second.md'
    before = path.read_bytes()
    assert len(sync(folder=folder, library=library)) == 4
    assert path.read_bytes() == before.replace(b'\n1\r\n```', b'\nSCALE = 0.01\r\n```')
    text = sample.FRONT + '# T\n' + sample.cells('', options=':include: stacked.py:SCALE')
    path.write_text(text.replace('\n\n\n```', '\n```'))
    assert len(sync(folder=folder, library=library)) == 4
    assert path.read_text().count(':include: stacked.py:SCALE\nSCALE = 0.01\n```') == 4


def test_earlier_cell_defines_the_class(folder, library):
    including(folder, 'stacked.py:Stacked.later', 'stacked.py:Base', 'stacked.py:_helper',
              'stacked.py:Stacked.private')
    sync(folder=folder, library=library)
    text = (folder / 'second.md').read_text()
    assert text.count('@d2l.add_to_class(d2l.Stacked)') == 8
    stacked = library / 'torch' / 'stacked.py'
    stacked.write_text(STACKED.replace("f'{check}'", '1').replace('_helper(1)', '1'))
    for backend in BACKENDS:
        (library / backend.module / 'stacked.py').write_text(stacked.read_text())
    including(folder, 'stacked.py:Base', 'stacked.py:Stacked', 'stacked.py:Stacked.later')
    sync(folder=folder, library=library)
    text = (folder / 'second.md').read_text()
    assert text.count('class Stacked(Base):') == 4
    assert text.count('@d2l.add_to_class(Stacked)') == 4


@pytest.mark.parametrize('name, message', [
    ('nothing.py:A', 'torch has no nothing.py; it has __init__.py, module.py, ops.py, stacked.py'),
    ('stacked.py:A', 'stacked.py has no A; it has SCALE, _helper, Base, Stacked'),
    ('stacked.py:Base.a', 'has no Base.a; Base has no methods'),
    ('stacked.py:Stacked.a', 'Stacked has __init__, width, local, formatted, private, later'),
    ('stacked.py', 'expected file.py:Name or file.py:Class.method'),
])
def test_bad_include(folder, library, name, message):
    including(folder, name)
    before = (folder / 'second.md').read_bytes()
    with pytest.raises(chapter.ChapterError, match=f'^chapters/second.md:11: .*{message}'):
        sync(folder=folder, library=library)
    assert (folder / 'second.md').read_bytes() == before


def test_source_with_a_fence_needs_a_longer_one(folder, library):
    for backend in BACKENDS:
        (library / backend.module / 'text.py').write_text('A = """\n```\n"""\n')
    including(folder, 'text.py:A')
    with pytest.raises(chapter.ChapterError, match='open and close the cell with one ` more'):
        sync(folder=folder, library=library)
