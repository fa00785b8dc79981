"""A small checkout to check, in which one chapter is written by a test."""
from tests.tools import sample
from tools.checks.sources import Book

README = '# Small\n\nA small book.\n'
WORDS = 'Two layers over three steps, as arrows'


class Small:
    """A checkout whose chapter `second` has the text of the test, from line 10 on.

    Args:
        root: folder for it.
    """

    def __init__(self, root):
        self.root, self.html, self.chapters = root, root / '_build/html', root / 'chapters'
        sample.write(self.chapters)
        (root / 'README.md').write_text(README)

    def write(self, text, name='second'):
        (self.chapters / f'{name}.md').write_text(sample.FRONT + text)
        return self

    def book(self):
        return Book(self.root, self.html)

    def found(self, rule, file='chapters/second.md'):
        """(line, message) of what a rule finds in a file."""
        book = self.book()
        assert not book.faults
        return sorted((each.line, each.message) for each in rule.find(book)
                      if book.place(each.path) == file)
