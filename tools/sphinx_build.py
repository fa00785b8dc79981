"""One run of Sphinx, whose warnings are errors that name the chapters' own lines."""
from tools import progress
from tools.chapter import CHAPTERS


class RenderError(Exception):
    """The book could not be rendered; the pages of the last good build are still there."""


class _Warnings:
    """A stream that keeps Sphinx's warnings, and names the chapter's own file in them."""

    def __init__(self, source):
        self.source, self.text = f'{source}/', ''

    def write(self, text):
        self.text += progress.plain(text).replace(self.source, f'{CHAPTERS.name}/')

    def flush(self):
        """Nothing is held back."""


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
    from sphinx.application import Sphinx
    from sphinx.util.docutils import docutils_namespace, patch_docutils

    warnings = _Warnings(source.resolve())
    with patch_docutils(str(settings)), docutils_namespace():
        try:
            app = Sphinx(source, settings, out, doctrees, builder, confoverrides=overrides,
                         status=None, warning=warnings, warningiserror=True)
            app.build()
        except Exception as error:
            raise RenderError(f'{warnings.text}The book was not rendered: {error}') from error
    if app.statuscode:
        raise RenderError(f'{warnings.text.rstrip()}\nThe book was not rendered, because of the '
                          'warnings above. The last good pages are still there.')
