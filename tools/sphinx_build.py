"""One run of Sphinx, whose warnings are errors that name the chapters' own lines."""
import contextlib
import re
from pathlib import Path

import nbformat

from tools import progress
from tools.chapter import CHAPTERS

PLACE = re.compile(r'(?P<path>[^:]+):(?P<line>\d+):(?P<message>.*)')
NAMED = re.compile(r"""['"]([^'"]+)['"]|"""  # what a warning is about
                   r'(?:not found: |readable: |duplicate label (?:of equation )?)([\w./-]+)')
TWICE = 'ERROR: Duplicate ID: "equation-'


class RenderError(Exception):
    """The book could not be rendered; the pages of the last good build are still there."""


class _Warnings:
    """A stream that keeps Sphinx's warnings, and names the chapter's own lines in them."""

    def __init__(self, source):
        self.source, self._text = source, ''

    def write(self, text):
        self._text += progress.plain(text)

    def flush(self):
        """Nothing is held back."""

    @property
    def text(self):
        """Each warning once."""
        found = dict.fromkeys(self._text.splitlines())
        # docutils says of an equation's label, without a line, what Sphinx has said with one
        kept = [line for line in found if TWICE not in line] or list(found)
        return ''.join(f'{self._at_line(line)}\n' for line in kept).replace(
            f'{self.source}/', f'{CHAPTERS.name}/')

    def _at_line(self, warning):
        """The warning at the line that has what it names, not at the start of the paragraph."""
        place = PLACE.match(warning)
        if not place or not place['path'].startswith(f'{self.source}/'):
            return warning
        lines, start = _lines(Path(place['path'])), int(place['line'])
        names = [re.compile(rf'(?<![\w-]){re.escape(name or other)}(?![\w-])', re.IGNORECASE)
                 for name, other in NAMED.findall(place['message'])]
        number = start
        while lines.get(number, '').strip():
            if any(name.search(lines[number]) for name in names):
                return f'{place["path"]}:{number}:{place["message"]}'
            number += 1
        return warning


def _lines(path):
    """The lines of a chapter, by their numbers in its own file, of the notebook made of it."""
    with contextlib.suppress(OSError, ValueError):
        notebook = nbformat.v4.reads(path.read_text('utf-8'))
        return {number: line for cell, start in zip(notebook.cells, notebook.metadata.source_map)
                for number, line in enumerate(cell.source.split('\n'), start + 2)}
    return {}


def build(source, settings, out, doctrees, builder, overrides):
    """Runs Sphinx.

    Args:
        source: folder of its sources.
        settings: folder of conf.py.
        out, doctrees: folders for what it writes and for what it has read.
        builder: its name.
        overrides: settings that conf.py does not know.
    Raises:
        RenderError: it failed or warned.
    """
    from pybtex.scanner import PybtexSyntaxError
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    warnings = _Warnings(source.resolve())
    with patch_docutils(str(settings)), docutils_namespace():
        try:
            app = Sphinx(source, settings, out, doctrees, builder, confoverrides=overrides,
                         status=None, warning=warnings, warningiserror=True)
            app.build()
        except Exception as error:
            cause = getattr(error, 'orig_exc', error)
            where = (f'{CHAPTERS.name}/refs.bib:{cause.lineno}: '
                     if isinstance(cause, PybtexSyntaxError) else '')
            raise RenderError(
                f'{warnings.text}{where}The book was not rendered: {cause}') from error
    if app.statuscode:
        raise RenderError(f'{warnings.text.rstrip()}\nThe book was not rendered, because of the '
                          'warnings above. The last good pages are still there.')
