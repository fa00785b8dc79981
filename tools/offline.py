"""Finds what a page would fetch from another host on its own; links to click do not count."""
import re
from html.parser import HTMLParser

LOADED_LINKS = {'stylesheet', 'icon', 'preload', 'prefetch', 'modulepreload', 'preconnect',
                'dns-prefetch', 'manifest'}
ATTRIBUTES = ('src', 'srcset', 'poster', 'data', 'background', 'action')
REMOTE = re.compile(r'\s*(?:https?:)?//', re.IGNORECASE)
CSS = re.compile(r'''(?:url\(|@import)\s*(?:url\()?\s*['"]?((?:https?:)?//[^\s'")]+)''',
                 re.IGNORECASE)


class _Page(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found, self.inside = [], None

    def handle_starttag(self, tag, attributes):
        values = {key: value or '' for key, value in attributes}
        self.inside = tag
        for key in ATTRIBUTES:
            candidates = values.get(key, '').split(',')
            self.found += [part.strip() for part in candidates if REMOTE.match(part)]
        kinds = set(values.get('rel', '').lower().split())
        loads = kinds & LOADED_LINKS if tag == 'link' else tag in ('use', 'image')
        for key in ('href', 'xlink:href'):
            if loads and REMOTE.match(values.get(key, '')):
                self.found.append(values[key])
        self.found += CSS.findall(values.get('style', ''))

    def handle_data(self, data):
        if self.inside == 'style':
            self.found += CSS.findall(data)

    def handle_endtag(self, tag):
        self.inside = None


def _same(path, other):
    return other.is_file() and [path.stat().st_mtime_ns, path.stat().st_size] == [
        other.stat().st_mtime_ns, other.stat().st_size]


def remote_resources(folder, checked=None):
    """All (file, address) in a built site that a browser loads from elsewhere by itself.

    Args:
        folder: the site.
        checked: an earlier one, whose files need not be looked at again, or None.
    """
    found = []
    for path in sorted(folder.rglob('*')):
        if checked and _same(path, checked / path.relative_to(folder)):
            continue
        if path.suffix in ('.html', '.svg'):
            page = _Page()
            page.feed(path.read_text(encoding='utf-8'))
            addresses = page.found
        elif path.suffix == '.css':
            addresses = CSS.findall(path.read_text(encoding='utf-8'))
        else:
            continue
        found += [(path.relative_to(folder).as_posix(), address) for address in addresses]
    return found
