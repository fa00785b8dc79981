"""The sample in folders of its own, and what renders it."""
from tests.tools import sample
from tools.render import render

CORPUS = 'a text <of> our own'


class Book:
    def __init__(self, root):
        self.folder, self.out, self.work = root / 'chapters', root / '_build/html', root / '_build'
        sample.write(self.folder)

    def merged(self, **options):
        return sample.merged(self.folder, corpus=CORPUS, **options)

    def render(self, **options):
        render(self.merged(**options), self.out, CORPUS, folder=self.folder, work=self.work)
        return self

    def page(self, name):
        return (self.out / f'{name}.html').read_text(encoding='utf-8')

    def change(self, name, old, new):
        path = self.folder / f'{name}.md'
        text = path.read_text()
        assert old in text
        path.write_text(text.replace(old, new))
