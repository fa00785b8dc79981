"""What the rules look at: the chapters and documents of a checkout, each read once."""
import functools
from dataclasses import dataclass
from pathlib import Path

from pybtex.database import parse_file

from tools import chapter
from tools.checks import texts

DOCUMENTS = ('README.md', 'CONTRIBUTING.md', 'CHANGELOG.md')


@dataclass(frozen=True)
class Finding:
    """What is wrong and what to do, at a line of a file."""
    path: Path
    line: int
    message: str


@dataclass(frozen=True)
class Source:
    """A Markdown file."""
    name: str
    path: Path
    lines: tuple[str, ...]
    text: texts.Text
    chapter: chapter.Chapter | None  # None for a document
    faults: tuple[tuple[int, str], ...]  # why it cannot be made into notebooks

    def finding(self, line, message):
        return Finding(self.path, line, message)

    @functools.cached_property
    def cells(self):
        return self.chapter.cells if self.chapter else ()


@dataclass
class Book:
    """All sources.

    Args:
        root: the checkout.
        html: folder of rendered pages, which need not exist.
    """
    root: Path
    html: Path

    def __post_init__(self):
        self.folder, self.library = self.root / 'chapters', self.root / 'd2lrnn'
        self.faults = []  # Findings about files that cannot be read at all
        self.notes = []   # what was not checked, and why
        self.chapters = [source for name in self._names()
                         if (source := self._read(self.folder / f'{name}.md', True))]
        self.documents = [source for name in DOCUMENTS if (self.root / name).is_file()
                          if (source := self._read(self.root / name, False))]
        self.sources = self.chapters + self.documents
        self.entries = self._entries()

    def _names(self):
        try:
            return chapter.names(self.folder)
        except chapter.ChapterError as error:
            line, message = _split(str(error))
            self.faults.append(Finding(self.folder / 'index.md', line, message))
            return sorted(path.stem for path in self.folder.glob('*.md'))

    def _read(self, path, is_chapter):
        try:
            content = path.read_bytes().decode('utf-8').replace('\r\n', '\n')
            read, faults = chapter.read(path) if is_chapter else (None, ())
            text = texts.read(content)
        except Exception as error:  # whatever a parser raises, the other files are still checked
            message = f'cannot be read: {type(error).__name__}: {error}; correct it first'
            self.faults.append(Finding(path, 1, ' '.join(message.split())))
            return None
        faults = tuple(dict.fromkeys((*faults, *text.faults)))
        return Source(path.stem, path, tuple(content.split('\n')), text, read, faults)

    def _entries(self):
        path = self.folder / 'refs.bib'
        try:
            return dict(parse_file(path).entries)
        except Exception as error:
            message = f'cannot be read: {error}; correct it first'
            self.faults.append(Finding(path, 1, ' '.join(message.split())))
            return None

    def place(self, path):
        inside = self.root in path.parents
        return (path.relative_to(self.root) if inside else path).as_posix()


def _split(message):
    """(line, text) of an error that starts with its place."""
    place, _, text = message.partition(': ')
    line = place.rpartition(':')[2]
    return (int(line), text) if line.isdigit() else (1, message)
