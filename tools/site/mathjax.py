"""Puts MathJax into the book, so that reading it asks no other host for anything."""
import shutil
from importlib import resources
from pathlib import Path

# tex-svg.js fetches the rarer macros (\boldsymbol, \cancel) from the folder beside it.
PARTS = ('es5/tex-svg.js', 'es5/input/tex/extensions', 'LICENSE')
SCRIPT = 'mathjax/es5/tex-svg.js'


def copy(app):
    with resources.as_file(resources.files('mathjax') / 'static' / 'mathjax') as source:
        for part in PARTS:
            target = Path(app.outdir) / '_static' / 'mathjax' / part
            target.parent.mkdir(parents=True, exist_ok=True)
            if (source / part).is_dir():
                shutil.copytree(source / part, target, dirs_exist_ok=True)
            else:
                shutil.copyfile(source / part, target)


def setup(app):
    app.connect('builder-inited', copy)
    return {'parallel_read_safe': True, 'parallel_write_safe': True}
