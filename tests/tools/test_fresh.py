"""What counts as a download that runs by itself; tests/tools/test_testing.py runs some."""
import os
import zipfile
from importlib.metadata import distributions

import nbformat
import pytest

from tools import fresh


def notebook(place):
    output = nbformat.v4.new_output('stream', name='stdout', text=f'{place}\n')
    return nbformat.v4.new_notebook(cells=[nbformat.v4.new_code_cell(outputs=[output])])


def test_library_has_to_come_from_the_environment(tmp_path):
    (tmp_path / 'd2lrnn-1.dist-info').mkdir()
    own = notebook(tmp_path / 'd2lrnn' / '__init__.py')
    when = fresh._check(own, tmp_path, None)
    assert fresh._check(own, tmp_path, when) == when
    with pytest.raises(fresh.FreshError, match='d2lrnn was imported from /a/d2lrnn/__init__.py'):
        fresh._check(notebook('/a/d2lrnn/__init__.py'), tmp_path, when)


def test_library_that_is_there_is_not_installed_again(tmp_path):
    folder = tmp_path / 'd2lrnn-1.dist-info'
    folder.mkdir()
    own = notebook(tmp_path / 'd2lrnn' / '__init__.py')
    when = fresh._check(own, tmp_path, None)
    os.utime(folder, ns=(when + 10 ** 9, when + 10 ** 9))
    with pytest.raises(fresh.FreshError, match='installed the library, though it was there'):
        fresh._check(own, tmp_path, when)


def test_package_of_another_name_stands_in(tmp_path):
    wheels, lent, site = (tmp_path / name for name in ('wheels', 'lent', 'site'))
    for name, files in (('big-cpu', {'METADATA': 'Name: big-cpu\nVersion: 2.5\n',
                                     'top_level.txt': 'big\n'}),
                        ('there', {'METADATA': 'Name: there\nVersion: 1\n',
                                   'top_level.txt': 'there\nother\n'})):
        (lent / f'{name}-1.dist-info').mkdir(parents=True)
        for file, text in files.items():
            (lent / f'{name}-1.dist-info' / file).write_text(text)
    for folder in (wheels, site):
        folder.mkdir()
    with zipfile.ZipFile(wheels / 'lib-1-py3-none-any.whl', 'w') as wheel:
        wheel.writestr('lib-1.dist-info/METADATA', 'Name: lib\nVersion: 1\nRequires-Dist: there\n'
                       'Requires-Dist: gone>1\nRequires-Dist: big>=2; extra == "x"\n')
    fresh._stand_in(wheels, [str(lent)], site)
    assert [(found.name, found.version) for found in distributions(path=[str(site)])] == [
        ('big', '2.5')]


def test_first_chapters_that_have_code(tmp_path, monkeypatch):
    names = [f'c{number}' for number in range(fresh.COUNT + 3)]
    monkeypatch.setattr(fresh.chapter, 'names', lambda: names)
    for name in names[1:]:
        cells = [nbformat.v4.new_markdown_cell()] if name == 'c2' else [
            nbformat.v4.new_code_cell()]
        nbformat.write(nbformat.v4.new_notebook(cells=cells),
                       tmp_path / f'{name}-without-outputs.ipynb')
    assert [path.stem[:2] for path in fresh.chosen(tmp_path)] == ['c1', 'c3', 'c4', 'c5']
