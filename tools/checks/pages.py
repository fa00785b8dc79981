"""The rendered pages, where there are any, show no role, directive, label or formula as text."""
import re
from html.parser import HTMLParser

from tools.checks.roles import NAMES
from tools.checks.sources import Finding

SKIPPED = {'code', 'kbd', 'pre', 'samp', 'script', 'style', 'svg', 'template', 'textarea'}
CLASSES = {'math', 'cell_output', 'output'}  # MathJax's sources; what a program printed
FAULTY = {'problematic', 'system-message'}   # where docutils put an error
VOID = {'area', 'base', 'br', 'col', 'embed', 'hr', 'img', 'input', 'link', 'meta', 'source',
        'track', 'wbr'}
FOLDERS = {'_images', '_sources', '_static', '_modules', 'downloads'}
RAW = re.compile(rf'\{{[a-z][\w:-]*\}}`[^`]*`?|\{{(?:{NAMES})\}}|:(?:{NAMES}):`?[^`\s]*`?'
                 r'|(?:`{3,}|:{3,})[^\s]*|(?<!\w)\([a-z][\w-]*\)=|\$\$|\$[^$\s][^$]*\$|\{\{.*?\}\}'
                 r'|`[^`]*`?')


def find(book):
    newest = {source.name: source.path.stat().st_mtime for source in book.chapters}
    old = []
    for path in sorted(book.html.rglob('*.html')):
        inner = path.relative_to(book.html)
        if FOLDERS.isdisjoint(inner.parts):
            if len(inner.parts) == 1 and path.stat().st_mtime < newest.get(path.stem, 0):
                old.append(path.name)
                continue
            page = _Page()
            page.feed(path.read_text(encoding='utf-8'))
            for line, text in page.found:
                yield Finding(path, line, f'the page shows {text!r} as text; correct it in '
                              f'{_origin(book, path, text)} and render the book again')
    if old:
        book.notes.append(f'not read, as older than their chapters: {", ".join(old)} in '
                          f'{book.place(book.html)}; render the book again')


def _origin(book, path, text):
    """Where the text comes from, as well as can be told from its first word."""
    source = next((each for each in book.chapters if each.name == path.stem), None)
    if source is None:
        return 'what this page is made from'
    return next((f'{book.place(source.path)}:{number}'
                 for number, line in enumerate(source.lines, 1) if text in line),
                book.place(source.path))


class _Page(HTMLParser):
    """Collects (line, text) of what stands raw in a page."""

    def __init__(self):
        super().__init__()
        self.open, self.found = [], []

    def handle_starttag(self, tag, attributes):
        if tag not in VOID:
            classes = set((dict(attributes).get('class') or '').split())
            skipped = tag in SKIPPED or not CLASSES.isdisjoint(classes)
            self.open.append((tag, skipped or bool(self.open and self.open[-1][1]),
                              not FAULTY.isdisjoint(classes)))

    def handle_endtag(self, tag):
        if any(each == tag for each, _, _ in self.open):
            while self.open.pop()[0] != tag:
                pass

    def handle_data(self, data):
        if not self.open or self.open[-1][1]:
            return
        start = self.getpos()[0]
        if self.open[-1][2] and data.strip():
            self.found.append((start, ' '.join(data.split())))
            return
        for match in RAW.finditer(data):
            self.found.append((start + data.count('\n', 0, match.start()), match[0]))
