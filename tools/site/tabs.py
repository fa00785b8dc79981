"""Groups the code cells of the frameworks into tab sets that switch together."""
from d2lrnn import BACKENDS
from docutils import nodes
from sphinx.transforms import SphinxTransform
from sphinx_design.shared import create_component

from tools.prose import SYNC_GROUP

ORDER = [backend.tab for backend in BACKENDS]
TITLES = {backend.tab: backend.title for backend in BACKENDS}


def about(node):
    """What merge.py noted on a code cell, or None for any other node."""
    if isinstance(node, nodes.container) and node.get('nb_element') == 'cell_code':
        return node['cell_metadata'].get('d2lrnn')
    return None


def note(text):
    return create_component('note', classes=['cell-note'],
                            children=[nodes.paragraph(text, text)])


def tab_set(cells):
    """The doctree that sphinx-design's own directive makes of a synced tab set."""
    cells = sorted(cells, key=lambda cell: ORDER.index(about(cell)['tab']))
    items = []
    for cell in cells:
        tab = about(cell)['tab']
        label = nodes.rubric(TITLES[tab], TITLES[tab], classes=['sd-tab-label'],
                             sync_id=tab, sync_group=SYNC_GROUP)
        content = create_component('tab-content', classes=['sd-tab-content'], children=[cell])
        item = create_component('tab-item', classes=['sd-tab-item'], selected=False,
                                children=[label, content])
        item.source, item.line = cell.source, cell.line
        items.append(item)
    new = create_component('tab-set', classes=['sd-tab-set', 'cells'], children=items)
    new.source, new.line = cells[0].source, cells[0].line
    return new


class GroupCells(SphinxTransform):
    default_priority = 700

    def apply(self, **kwargs):
        cells = [node for node in self.document.findall(nodes.container) if about(node)]
        runs = {}
        for cell in cells:
            if 'note' in about(cell):
                cell += note(about(cell)['note'])
            if 'group' in about(cell):
                runs.setdefault(about(cell)['group'], []).append(cell)
        for run in runs.values():
            parent, start = run[0].parent, run[0].parent.index(run[0])
            only = [about(cell)['only'] for cell in run if 'only' in about(cell)]
            for cell in run:
                parent.remove(cell)
            before = []
            if only:
                titles = ' and '.join(TITLES[about(cell)['tab']] for cell in run)
                before = [note(f'{titles} only: {only[0]}')]
            parent.insert(start, [*before, tab_set(run)])


def setup(app):
    app.add_transform(GroupCells)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
