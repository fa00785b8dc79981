"""Leaves one framework of the book: what an offline copy holds. Active where `only_tab` is set.

It works on what is written, not on what is read: numbers come from the whole book, and all
frameworks share what Sphinx has read.
"""
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx.util import logging
from sphinx_design.shared import is_component

from tools.prose import SYNC_GROUP

LOGGER = logging.getLogger(__name__)


class OneFramework(SphinxPostTransform):
    default_priority = 4  # before whatever makes HTML of tabs, and before outputs are chosen

    def run(self, **kwargs):
        tab = self.config.only_tab
        if not tab:
            return
        for tab_set in self.components('tab-set'):
            self.choose(tab_set, tab)
        for dropdown in self.components('dropdown'):
            self.open(dropdown)

    def components(self, name):
        return [node for node in self.document.findall(nodes.container)
                if is_component(node, name)]

    @staticmethod
    def choose(tab_set, tab):
        items = [node for node in tab_set.children if is_component(node, 'tab-item')]
        labels = [item[0] for item in items]
        if any(label.get('sync_group') != SYNC_GROUP for label in labels):
            LOGGER.warning('tabs that are not those of the frameworks have no place in a copy for '
                           'one framework', location=tab_set)
            return
        chosen = [item[1].children for item in items if item[0]['sync_id'] == tab]
        # a target before the first tab is what a reference leads to
        kept = [node for node in tab_set.children if isinstance(node, nodes.target)]
        parent, place = tab_set.parent, tab_set.parent.index(tab_set)
        new = [*kept, *(chosen[0] if chosen else [])]
        before = parent[place - 1] if place else None
        if is_component(before, 'note') and 'cell-note' in before['classes'] and not chosen:
            place -= 1  # it says which frameworks have the cell
            parent.remove(before)
        parent.remove(tab_set)
        parent[place:place] = new

    @staticmethod
    def open(dropdown):
        opened = nodes.container('', *dropdown.children, ids=dropdown['ids'], is_div=True,
                                 classes=['solution'])
        opened.source, opened.line = dropdown.source, dropdown.line
        dropdown.replace_self(opened)


def setup(app):
    app.add_config_value('only_tab', '', '', types=frozenset({str}))
    app.add_post_transform(OneFramework)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
