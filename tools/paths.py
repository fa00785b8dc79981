"""Where things lie in a checkout."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

BOOK = 'book'  # name of the environment that the tools themselves run in


@dataclass(frozen=True)
class Paths:
    """The folders of one checkout.

    Args:
        root: the checkout.
    """
    root: Path

    @property
    def chapters(self):
        return self.root / 'chapters'

    @property
    def requirements(self):
        return self.root / 'tools' / 'requirements'

    @property
    def venvs(self):
        return self.root / '.venvs'

    @property
    def build(self):
        return self.root / '_build'

    @property
    def logs(self):
        return self.build / 'logs'

    @property
    def cache(self):
        return self.build / 'cache'

    @property
    def kernels(self):
        return self.build / 'kernels'

    @property
    def notebooks(self):
        return self.build / 'notebooks'

    @property
    def html(self):
        return self.build / 'html'

    def chapter_names(self):
        """Stems of the chapters' files; `chapter.names` also checks and orders them."""
        return sorted(path.stem for path in self.chapters.glob('*.md'))


HERE = Paths(Path(__file__).resolve().parent.parent)
