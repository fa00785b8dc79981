"""What can be downloaded is whole, and linked."""
import zipfile

import nbformat
import pytest
from d2lrnn import BACKENDS

from tools import chapter as chapters_

rows = pytest.mark.parametrize('row', BACKENDS, ids=lambda row: row.module)


@rows
def test_notebooks(site, built, row):
    if row not in built:
        return
    folder = site / 'downloads' / row.module
    names = [name for name in chapters_.names() if chapters_.load(name).cells
             and (site / f'{name}.html').is_file()]
    expected = {f'{name}{end}.ipynb' for name in names for end in ('', '-without-outputs')}
    assert {path.name for path in folder.iterdir()} == expected
    for path in folder.iterdir():
        notebook = nbformat.read(path, 4)
        nbformat.validate(notebook)
        outputs = [output for cell in notebook.cells for output in cell.get('outputs', ())]
        assert bool(outputs) != path.stem.endswith('-without-outputs'), path.name


def test_links(reader, site, address, built, chapter):
    """Each chapter with code links its notebooks, and nothing else of the kind."""
    links = {link.removeprefix(f'{address}/downloads/')
             for link in reader.visit(chapter).seen.links if link.endswith('.ipynb')
             and link.startswith(address)}
    assert links == {f'{row.module}/{path.name}' for row in built
                     for path in (site / 'downloads' / row.module).glob(f'{chapter}*.ipynb')
                     if path.stem in (chapter, f'{chapter}-without-outputs')}


def test_archives(site, built):
    for row in built:
        path = site / 'downloads' / f'd2lrnn-{row.module}-notebooks.zip'
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            assert {name.rpartition('/')[2] for name in archive.namelist()
                    if name.endswith('.ipynb')} >= {
                one.name for one in (site / 'downloads' / row.module).glob('*.ipynb')
                if not one.stem.endswith('-without-outputs')}
