"""Settings of the book; what varies from build to build comes from tools/render.py."""
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import d2lrnn  # noqa: E402
from tools.prose import MYST_EXTENSIONS  # noqa: E402
from tools.site.mathjax import SCRIPT  # noqa: E402

project = html_title = 'd2lrnn'
release = d2lrnn.__version__
language = 'en'
extensions = ['myst_nb', 'sphinx_design', 'sphinx_copybutton', 'sphinxcontrib.bibtex',
              'sphinx.ext.mathjax', 'tools.site.mathjax', 'tools.site.tabs', 'tools.site.blocks',
              'tools.site.choice', 'tools.site.pages', 'tools.site.access',
              'tools.site.incremental', 'tools.site.reference', 'tools.site.labels']

nb_execution_mode = 'off'
nb_custom_formats = {'.md': ['nbformat.reads', {'as_version': 4}, False]}
nb_render_image_options = {'alt': 'What the code above draws'}
myst_enable_extensions = list(MYST_EXTENSIONS)
myst_heading_anchors = 3
bibtex_default_style = 'alpha'
bibtex_reference_style = 'label'

numfig = True
numfig_format = {'figure': 'Figure %s', 'table': 'Table %s', 'code-block': 'Listing %s',
                 'section': 'Section %s'}
math_eqref_format = '({number})'
mathjax_path = SCRIPT
# Without the menu no formula stops the Tab key, and nothing is left that loads more code.
mathjax3_config = {'options': {'enableMenu': False}}

html_theme = 'furo'
html_favicon = 'icon.svg'
pygments_style = 'a11y-light'
pygments_dark_style = 'github-dark'
html_static_path = ['custom.css', 'reference.css', 'choice.js', 'reveal.js', 'scroll.js']
html_css_files = ['custom.css']
templates_path = ['templates']
html_sidebars = {'**': ['sidebar/brand.html', 'sidebar/search.html', 'sidebar/framework.html',
                        'sidebar/scroll-start.html', 'sidebar/navigation.html',
                        'sidebar/scroll-end.html']}
html_show_copyright = False
html_copy_source = False
html_show_sourcelink = False
html_use_index = False
html_domain_indices = False
copybutton_selector = 'div:not(.output) > div.highlight > pre'
copybutton_exclude = '.linenos'
copybutton_prompt_text = r'>>> |\.\.\. |\$ |In \[\d*\]: | {2,5}\.\.\.: | {5,8}: '
copybutton_prompt_is_regexp = True
