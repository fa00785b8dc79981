"""The tabs of the frameworks as HTML: radio buttons, and a panel for each of them.

sphinx-design would give each tab a radio button as well, but among the panels, where no group can
hold the buttons alone.
"""
from html import escape

from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform
from sphinx_design.shared import is_component
from sphinx_design.tabs import TabSetHtmlTransform

from tools.prose import SYNC_GROUP
from tools.site.tabs import TITLES


class panel(nodes.General, nodes.Element):  # noqa: N801, as docutils names nodes
    """What one framework shows."""


def visit_panel(self, node):
    self.body.append(self.starttag(node, 'div', **{'data-fw': node['tab']}))


def depart_panel(self, node):
    self.body.append('</div>\n')


def bar(name, tabs, label='Framework'):
    """HTML to choose one of the frameworks.

    Args:
        name: of the group, unique in the page.
        tabs: their names; the first is chosen where no script runs.
        label: what a screen reader calls the group.
    """
    buttons = []
    for tab in tabs:
        checked = ' checked' if tab == tabs[0] else ''
        buttons.append(
            f'<input class="fw-radio" type="radio" id="{name}-{tab}" name="{name}" value="{tab}"'
            f'{checked}><label class="sd-tab-label" for="{name}-{tab}" data-sync-id="{tab}" '
            f'data-sync-group="{SYNC_GROUP}">{escape(TITLES[tab])}</label>')
    return (f'<div class="fw-bar" role="radiogroup" aria-label="{escape(label)}">'
            f'{"".join(buttons)}</div>')


class FrameworkTabs(SphinxPostTransform):
    default_priority = TabSetHtmlTransform.default_priority - 1
    formats = ('html',)

    def run(self, **kwargs):
        number = 0
        for tab_set in list(self.document.findall(lambda node: is_component(node, 'tab-set'))):
            items = [item for item in tab_set.children if is_component(item, 'tab-item')]
            if items and all(item[0].get('sync_group') == SYNC_GROUP for item in items):
                self.replace(tab_set, items, f'{SYNC_GROUP}-{number}')
                number += 1

    @staticmethod
    def replace(tab_set, items, name):
        panels = [panel('', *item[1].children, tab=item[0]['sync_id'],
                        classes=item[1]['classes'], ids=[*item['ids'], *item[0]['ids']])
                  for item in items]
        buttons = nodes.raw('', bar(name, [panel['tab'] for panel in panels]), format='html')
        others = [child for child in tab_set.children if child not in items]
        new = nodes.container('', *others, buttons, *panels, is_div=True,
                              classes=tab_set['classes'], ids=tab_set['ids'])
        new.source, new.line = tab_set.source, tab_set.line
        tab_set.replace_self(new)


def setup(app):
    app.add_node(panel, html=(visit_panel, depart_panel))
    app.add_post_transform(FrameworkTabs)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
