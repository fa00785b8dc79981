"""Settings of the offline copies, where they differ from those of the pages."""
from tools.site.conf import *  # noqa: F403
from tools.site.conf import release

extensions = ['myst_nb', 'sphinx_design', 'sphinxcontrib.bibtex', 'tools.site.tabs',
              'tools.site.blocks', 'tools.paper.one', 'tools.paper.epub']

version = release
author = 'The d2lrnn authors'
copyright = f'{author}; MIT license'  # noqa: A001, as Sphinx names it
html_math_renderer = 'mathml'
html_permalinks = False
html_favicon = None
html_css_files = []
html_static_path = ['book.css']
templates_path = []

epub_css_files = ['book.css']
epub_contributor = author
epub_uid = 'book'
epub_show_urls = 'no'
epub_tocdepth = 2
epub_tocdup = False
