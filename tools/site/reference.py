"""The API reference in the book: its entries' anchors, and links to them from code in prose."""
import json
from pathlib import Path

from docutils import nodes
from docutils.parsers.rst import directives
from sphinx.transforms import SphinxTransform
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import make_refnode

from tools.reference import NAMES
from tools.spellings import FOLDER


class Api(SphinxDirective):
    """Gives the section around it an anchor, under which its objects are found."""
    required_arguments = 1
    has_content = True
    option_spec = {'kind': directives.unchanged_required}

    def run(self):
        domain, kind = self.env.domains.python_domain, self.options['kind']
        target = self.arguments[0]
        for number, name in enumerate(self.content):
            if kind == 'module':
                domain.note_module(name, target, '', '', False)
            # only the first, as readers write it, is searched for; all are in objects.inv
            domain.note_object(name, kind, target, aliased=number > 0, location=self.get_location())
        return [api_entry(target=target)]


class api_entry(nodes.Invisible, nodes.Element):  # noqa: N801, as docutils names nodes
    """What remains of an {api} block until its section has the anchor."""


class Anchors(SphinxTransform):
    default_priority = 700

    def apply(self, **kwargs):
        for node in list(self.document.findall(api_entry)):
            node.parent['ids'] = [node['target']]
            node.parent.remove(node)


def link(app, doctree, docname):
    """Makes a link of inline code that is a public name, and of nothing else."""
    names = app.d2lrnn_names
    for node in list(doctree.findall(nodes.literal)) if names else ():
        page, target, chapters = names.get(written(node.astext()), (None, None, None))
        ours = chapters is None or docname in chapters or docname.startswith(f'{FOLDER}/')
        if page and ours and not stands_in(node, target if page == docname else None):
            node.replace_self(make_refnode(app.builder, docname, page, target, node.deepcopy()))


def written(code):
    """The name in code that is a name or a call of one."""
    return code.partition('(')[0] if code.endswith(')') else code


def stands_in(node, target):
    """Whether code is part of a link or a heading, or of the entry that it would lead to."""
    while node.parent is not None:
        node = node.parent
        if isinstance(node, (nodes.reference, nodes.title)) or target in node.get('ids', ()):
            return True
    return False


def read_names(app):
    path = Path(app.srcdir) / NAMES
    app.d2lrnn_names = json.loads(path.read_text('utf-8')) if path.is_file() else {}


def setup(app):
    app.add_source_suffix('.myst', 'myst-nb')
    app.add_node(api_entry)
    app.add_directive('api', Api)
    app.add_transform(Anchors)
    app.connect('builder-inited', read_names)
    app.connect('doctree-resolved', link)
    app.add_css_file('reference.css')
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
