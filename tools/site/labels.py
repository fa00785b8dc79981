"""Writes what references resolve to, for what is made of the chapters outside of Sphinx.

`labels.json` in the folder of the doctrees has

    documents: name -> {title, number, sections: [[number, title], ...]}, headings in order
    labels: name -> {document, anchor, kind, number, shown, title}
    sources: key -> {label, named, address, text, document}, in the order of the bibliography

where `shown` is what {numref} or {eq} shows, `named` what {cite:t} shows before the label, `text`
the source as Markdown and `document` the page that lists it.
"""
import functools
import json
from pathlib import Path

from docutils import nodes
from pybtex.backends import markdown
from sphinx import addnodes
from sphinx.util import logging

from tools.myst import plain

FILE = 'labels.json'
LOGGER = logging.getLogger(__name__)


class Markdown(markdown.Backend):
    """Of a source: no escapes that a notebook would take for delimiters of math."""

    def format_str(self, text):
        return plain(text)


def documents(env):
    """Titles and numbered headings."""
    found = {}
    for name, toc in env.tocs.items():
        numbers = env.toc_secnumbers.get(name, {})
        headings = [node for node in toc.findall(nodes.reference)
                    if node['refuri'] == name and 'anchorname' in node]
        found[name] = {'title': env.titles[name].astext(),
                       'number': _dotted(numbers.get('', ())),
                       'sections': [[_dotted(numbers.get(node['anchorname'], ())), node.astext()]
                                    for node in headings]}
    return found


def _dotted(numbers):
    return '.'.join(map(str, numbers))


def labels(env, builder):
    """Targets of {ref}, {numref} and {eq}."""
    std, found = env.domains.standard_domain, {}
    doctree = functools.cache(env.get_doctree)
    for name, (document, anchor) in std.anonlabels.items():
        if document not in env.found_docs:
            continue  # Sphinx's own: genindex, search
        target = doctree(document).ids.get(anchor)
        kind = None if target is None else std.get_enumerable_node_type(target)
        number = _number(env, builder, kind, document, target) if kind else ''
        found[name] = {
            'document': document, 'anchor': anchor, 'kind': kind, 'number': number,
            'shown': env.config.numfig_format[kind] % number if number else '',
            'title': std.labels.get(name, ('', '', ''))[2]}
    for name, (document, _) in env.domains.math_domain.equations.items():
        anchor = nodes.make_id(f'equation-{name}')
        number = _dotted(env.toc_fignumbers[document]['displaymath'][anchor])
        found[name] = {'document': document, 'anchor': anchor, 'kind': 'equation',
                       'number': number, 'title': '',
                       'shown': env.config.math_eqref_format.format(number=number)}
    return found


def _number(env, builder, kind, document, target):
    try:
        number = env.domains.standard_domain.get_fignumber(env, builder, kind, document, target)
    except ValueError:
        return ''  # a section outside of the numbered chapters, a figure without a caption
    return _dotted(number or ())


def sources(env, builder):
    """What is cited, as the list of sources has it."""
    domain, found = env.domains['cite'], {}
    for source in domain.citations:
        fields, name = source.entry.fields, source.bibliography_key.docname
        named = domain.resolve_xref(env, name, builder, 't', source.key,
                                    addnodes.pending_xref(), nodes.inline())
        before = named.children[:next(at for at, node in enumerate(named.children)
                                      if isinstance(node, nodes.reference))]
        found[source.key] = {
            'label': source.formatted_entry.label, 'document': name,
            'named': ''.join(map(_inline, before)).removesuffix(r'\['),
            'address': (f'https://doi.org/{fields["doi"]}' if 'doi' in fields
                        else fields.get('url', '')),
            'text': source.formatted_entry.text.render(Markdown())}
    return found


def _inline(node):
    text = plain(node.astext()) if not isinstance(node, nodes.Text) else plain(str(node))
    return f'*{text}*' if isinstance(node, nodes.emphasis) else text


def write(app, error):
    if not error:
        found = {'documents': documents(app.env), 'labels': labels(app.env, app.builder),
                 'sources': sources(app.env, app.builder)}
        (Path(app.doctreedir) / FILE).write_text(json.dumps(found, indent=1), 'utf-8')


def setup(app):
    app.connect('build-finished', write)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
