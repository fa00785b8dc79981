"""Each cell of each framework is in its chapter's page exactly once, with what it printed."""
from html.parser import HTMLParser

import nbformat
import pytest
from d2lrnn import BACKENDS

from tools import chapter as chapters_
from tools import merge


class Text(HTMLParser):
    """What is left of HTML without its tags."""

    def __init__(self, html):
        super().__init__()
        self.found, self.style = [], False
        self.feed(html)

    def handle_starttag(self, tag, attributes):
        self.style = tag == 'style'

    def handle_endtag(self, tag):
        self.style = False

    def handle_data(self, data):
        if not self.style:
            self.found.append(data)


def words(text):
    """Without the spacing, which wrapping and the end of a line change."""
    return ' '.join(text.split())


def printed(output):
    """What a reader sees of an output: its words, or that it is a picture."""
    if output.output_type == 'stream':
        return words(output.text)
    if output.output_type == 'error':
        return words('\n'.join(output.traceback))
    if any(mime.startswith('image/') for mime in output.data):
        return 'image'
    if 'text/html' in output.data:
        return words(''.join(Text(output.data['text/html']).found))
    return words(output.data['text/plain'])


def expected(site, name, row):
    """(source, outputs) of the code cells of a downloaded notebook, without the one that installs.

    None where this book was built without the framework.
    """
    path = site / 'downloads' / row.module / f'{name}.ipynb'
    if not path.is_file():
        return None
    cells = [cell for cell in nbformat.read(path, 4).cells if cell.cell_type == 'code']
    return [(words(cell.source), sorted(map(printed, merge.normalize(cell.outputs))))
            for cell in cells]


@pytest.mark.parametrize('row', BACKENDS, ids=lambda row: row.module)
def test_each_cell_is_there_once_with_its_output(reader, site, chapter, row):
    written = [words(cell.source) for cell in chapters_.load(chapter).cells
               if cell.tab in (row.tab, chapters_.ALL)]
    shown = [cell for cell in reader.visit(chapter).seen.cells if cell['tab'] in (row.tab, None)]
    assert [words(cell['source']) for cell in shown] == written
    ran = expected(site, chapter, row)
    if ran is None:
        assert not written or all('Not run' in cell['note'] for cell in shown)
        return
    assert [(words(cell['source']), sorted(map(words, cell['outputs']))) for cell in shown] \
        == ran[len(ran) - len(written):]


def test_the_book_has_outputs(site, built):
    """The comparison above would also hold between empty lists."""
    assert built
    for row in built:
        outputs = [one for path in sorted((site / 'downloads' / row.module).glob('*.ipynb'))
                   for _, found in expected(site, path.stem, row) for one in found]
        assert 'image' in outputs and len(set(outputs)) > 20, row.title
