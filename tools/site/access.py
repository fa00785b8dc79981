"""What screen readers and the keyboard need beyond the theme; tests/site asks axe-core for more."""
from docutils import nodes
from sphinx.transforms.post_transforms import SphinxPostTransform

AFTER_FURO = 501
WRAPPERS = {'math-wrapper', 'table-wrapper'}


class Unique(SphinxPostTransform):
    """The theme puts equations and tables into boxes, and copies their ids to these."""
    default_priority = AFTER_FURO
    formats = ('html',)

    def run(self, **kwargs):
        for box in self.document.findall(nodes.container):
            if WRAPPERS & set(box['classes']):
                box['ids'] = []


def visit_citation(self, node):
    """docutils gives each source a role that ARIA has withdrawn, inside a list without items."""
    type(self).visit_citation(self, node)
    self.body[-1] = self.body[-1].replace('doc-biblioentry', 'listitem')


def depart_citation(self, node):
    type(self).depart_citation(self, node)


def setup(app):
    app.add_node(nodes.citation, override=True, html=(visit_citation, depart_citation))
    app.add_post_transform(Unique)
    app.add_js_file('scroll.js', loading_method='defer')
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
