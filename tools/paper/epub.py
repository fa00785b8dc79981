"""The pages of an offline copy: XHTML with formulas in MathML, packed the same each time."""
import html
import re
import zipfile
from pathlib import Path
from xml.etree import ElementTree

from docutils import nodes
from sphinx.builders.epub3 import Epub3Builder
from sphinx.util import logging
from sphinx.util.math import get_node_equation_number

from tools.paper.mathml import MathError, inline, line

LOGGER = logging.getLogger(__name__)
OPF, DC = 'http://www.idpf.org/2007/opf', 'http://purl.org/dc/elements/1.1/'
STYLES = ('pygments.css', 'book.css')
EPOCH = (1980, 1, 1, 0, 0, 0)  # the earliest that a zip file can hold; stands for no date
ID = re.compile(r' id="([^"]*)"')


def _written(node, tex, convert):
    try:
        return convert(tex)
    except MathError as error:
        LOGGER.warning(f'this formula cannot be written as MathML: {error}: {tex}', location=node)
        return ''


def visit_math(self, node):
    self.body.append(_written(node, node.astext(), inline))
    raise nodes.SkipNode


def visit_math_block(self, node):
    tex = node.astext()
    if r'\\' in tex and r'\begin' not in tex:
        tex = rf'\begin{{split}}{tex}\end{{split}}'
    self.body.append(self.starttag(node, 'div', CLASS='math'))
    self.body.append(f'<div class="equation">{_written(node, tex, line)}</div>')
    if node['number']:
        self.body.append(f'<span class="eqno">({get_node_equation_number(self, node)})</span>')
    self.body.append('</div>\n')
    raise nodes.SkipNode


def plain(app, pagename, templatename, context, doctree):
    """Leaves out styles that the copy does not use, and a role that EPUB has given up."""
    context['css_files'] = [css for css in context['css_files']
                            if str(css.filename).rpartition('/')[2] in STYLES]
    if 'body' in context:
        context['body'] = context['body'].replace(' role="doc-biblioentry"', '')


def unique_ids(svg):
    """A picture in which no id stands twice: matplotlib names equal images alike."""
    seen = set()

    def first(found):
        repeated = found[1] in seen
        seen.add(found[1])
        return '' if repeated else found[0]
    return ID.sub(first, svg)


class Builder(Epub3Builder):
    """As Sphinx's, with what epubcheck misses in it, and without dates."""
    html_tag = Epub3Builder.html_tag.replace('>', ' lang="en" xml:lang="en">')

    def content_metadata(self):
        return super().content_metadata() | {'date': '%d-%02d-%02dT%02d:%02d:%02dZ' % EPOCH}

    def toc_metadata(self, level, navpoints):
        uid = html.escape(self.config.epub_identifier)
        return super().toc_metadata(level, navpoints) | {'uid': uid}

    def build_content(self):
        folder = Path(self.outdir)
        for path in (folder / '_static').iterdir():
            if path.name not in STYLES:
                path.unlink()
        for path in folder.rglob('*.svg'):
            path.write_text(unique_ids(path.read_text('utf-8')), 'utf-8')
        super().build_content()
        ElementTree.register_namespace('', OPF)
        ElementTree.register_namespace('dc', DC)
        tree = ElementTree.parse(folder / 'content.opf')
        metadata = tree.find(f'{{{OPF}}}metadata')
        metadata.remove(metadata.find(f'{{{DC}}}date'))
        for item in tree.iter(f'{{{OPF}}}item'):
            page = folder / item.get('href')
            if page.suffix == '.xhtml' and page.is_file() and '<math' in page.read_text('utf-8'):
                item.set('properties', 'mathml')
        tree.write(folder / 'content.opf', encoding='utf-8', xml_declaration=True)

    def build_epub(self):
        folder = Path(self.outdir)
        names = ['mimetype', 'META-INF/container.xml', 'content.opf', 'toc.ncx', *self.files]
        with zipfile.ZipFile(folder / f'{self.config.epub_basename}.epub', 'w') as packed:
            for name in names:
                stored = zipfile.ZIP_STORED if name == 'mimetype' else zipfile.ZIP_DEFLATED
                packed.writestr(zipfile.ZipInfo(name, EPOCH), (folder / name).read_bytes(),
                                compress_type=stored)


def setup(app):
    app.add_builder(Builder, override=True)
    app.add_html_math_renderer('mathml', (visit_math, None), (visit_math_block, None))
    app.connect('html-page-context', plain, priority=900)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
