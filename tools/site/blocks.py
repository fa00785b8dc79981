"""Blocks around executed cells, which no directive can hold.

`{cell-figure}` right after a cell or a group of tabs makes one numbered figure of it; its body is
the caption, its :name: the target of {numref}. What stands between `{solution-start} Title` and
`{solution-end}` is folded.
"""
from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms import SphinxTransform
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective
from sphinx_design.shared import create_component, is_component

from tools.site.tabs import GroupCells, about

LOGGER = logging.getLogger(__name__)


class CellFigure(SphinxDirective):
    has_content = True
    option_spec = {'name': directives.unchanged_required}

    def run(self):
        self.assert_has_content()
        figure = nodes.figure('', classes=['cell-figure'])
        self.set_source_info(figure)
        text, messages = self.parse_inline(' '.join(self.content),
                                           lineno=self.lineno + self.content_offset)
        figure += nodes.caption('', '', *text)
        self.add_name(figure)
        return [figure, *messages]


class gate(nodes.General, nodes.Element):  # noqa: N801, as docutils names nodes
    """One end of a solution, until Blocks has folded it."""


class Gate(SphinxDirective):
    optional_arguments = 1
    final_argument_whitespace = True
    option_spec = {}

    def run(self):
        node = gate(opens=self.name.endswith('start'), title=' '.join(self.arguments))
        self.set_source_info(node)
        return [node]


class Blocks(SphinxTransform):
    default_priority = GroupCells.default_priority + 1

    def apply(self, **kwargs):
        for figure in list(self.document.findall(nodes.figure)):
            if 'cell-figure' in figure['classes']:
                self.fill(figure)
        gates = list(self.document.findall(gate))
        for start, end in zip(gates, gates[1:]):
            if start['opens'] and not end['opens'] and start.parent is end.parent:
                self.fold(start, end)
        for left in list(self.document.findall(gate)):
            LOGGER.warning('a solution without its other end before the next heading',
                           location=left)
            left.parent.remove(left)

    def fill(self, figure):
        parent, place = figure.parent, figure.parent.index(figure)
        before = parent[place - 1] if place else None
        if before is None or not (is_component(before, 'tab-set') or about(before)):
            LOGGER.warning('a cell-figure that does not follow a code cell', location=figure)
            return
        parent.remove(before)
        figure.insert(0, before)
        caption = figure.children[-1].astext()
        for image in before.findall(nodes.image):
            image['alt'] = caption

    def fold(self, start, end):
        parent = start.parent
        first, last = parent.index(start), parent.index(end)
        title = start['title'] or 'Solution'
        dropdown = create_component(
            'dropdown', opened=False, type='dropdown', has_title=True, icon=None, chevron=None,
            container_classes=['sd-mb-3', 'solution'], title_classes=[], body_classes=[],
            children=[nodes.rubric(title, title), *parent[first + 1:last]])
        dropdown.source, dropdown.line = start.source, start.line
        parent[first:last + 1] = [dropdown]


def setup(app):
    app.add_node(gate)
    app.add_directive('cell-figure', CellFigure)
    app.add_directive('solution-start', Gate)
    app.add_directive('solution-end', Gate)
    app.add_transform(Blocks)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
