"""The API reference knows what the backend offers, without having imported it."""
import types

from tools.library import Library
from tools.offered import offered


def test_it_finds_what_can_be_imported(d2l):
    backend = d2l.__name__.rpartition('.')[2]
    found = {name: what for name, what in offered(Library(), backend).items() if '.' not in name}
    modules = {name for name, value in vars(d2l).items() if isinstance(value, types.ModuleType)}
    public = {name for name in vars(d2l) if not name.startswith('_')} - modules
    assert set(found) - {'cost'} == public
    assert 'cost' in modules
    for name, what in found.items():
        if what.kind in ('class', 'function'):
            assert getattr(d2l, name).__module__ == f'd2lrnn.{what.file}', name
            for member in what.members:
                assert hasattr(getattr(d2l, name), member), f'{name}.{member}'
