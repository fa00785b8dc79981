"""Pictures for notebooks: PNG, because editors do not show an SVG that came with a notebook."""
from __future__ import annotations

import base64
import functools
import hashlib
import html
import os
import struct
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

SCALE, DPI = 2, 96  # of a sharp screen; pixels of an inch in CSS
KINDS = {'.png': 'image/png', '.jpg': 'image/jpeg', '.jpeg': 'image/jpeg', '.gif': 'image/gif'}
BATCH = 8  # pictures for which another process is worth its start


class PictureError(Exception):
    """A picture that cannot be shown in a notebook."""


@functools.cache
def _fonts():
    """Files of fonts that are on every machine."""
    import matplotlib
    folder = Path(matplotlib.get_data_path()) / 'fonts' / 'ttf'
    return [str(path) for path in sorted(folder.glob('DejaVuSans*.ttf'))]


@functools.cache
def _drawn_by():
    return version('resvg-py'), version('matplotlib')


def draw(svg):
    """PNG of an SVG, on white as in the book's light pages."""
    import resvg_py
    return bytes(resvg_py.svg_to_bytes(
        svg_string=svg, zoom=SCALE, dpi=DPI, background='white', skip_system_fonts=True,
        font_files=_fonts(), font_family='DejaVu Sans', sans_serif_family='DejaVu Sans',
        monospace_family='DejaVu Sans Mono'))


class Pictures:
    """Keeps what was drawn, for the next build.

    Args:
        folder: of the drawn ones.
    """

    def __init__(self, folder):
        self.folder, self.used, self.processes = folder, set(), []

    def path(self, svg):
        digest = hashlib.sha256(f'{_drawn_by()} {SCALE} {DPI} {svg}'.encode())
        return self.folder / f'{digest.hexdigest()[:32]}.png'

    def begin(self, svgs):
        """Draw in other processes, while this one does something else."""
        self.folder.mkdir(parents=True, exist_ok=True)
        missing = {self.path(svg): svg for svg in svgs}
        self.used |= set(missing)
        missing = {path: svg for path, svg in missing.items() if not path.is_file()}
        count = min(os.cpu_count() or 1, -(-len(missing) // BATCH))
        for number in range(count):
            sources = []
            for path, svg in list(missing.items())[number::count]:
                sources.append(path.with_suffix('.svg'))
                sources[-1].write_text(svg, 'utf-8')
            self.processes.append(subprocess.Popen([sys.executable, __file__, *sources]))

    def end(self):
        """Wait for what `begin` began; what failed there is drawn when it is asked for."""
        for process in self.processes:
            process.wait()
        self.processes = []

    def png(self, svg):
        """(PNG, width, height) of an SVG, in pixels of the page."""
        path = self.path(svg)
        self.used.add(path)
        if not path.is_file():
            try:
                _write(path, draw(svg))
            except ValueError as error:
                raise PictureError(f'cannot be drawn: {error}') from error
        content = path.read_bytes()
        width, height = struct.unpack('>II', content[16:24])
        return content, width // SCALE, height // SCALE

    def tag(self, path, alt):
        """HTML of a picture's file, with all of the picture in it."""
        width = ''
        if path.suffix == '.svg':
            content, width, _ = self.png(path.read_text('utf-8'))
            kind, width = 'image/png', f' width="{width}"'
        elif path.suffix in KINDS:
            content, kind = path.read_bytes(), KINDS[path.suffix]
        else:
            raise PictureError(f'expected one of .svg, {", ".join(KINDS)}')
        data = base64.b64encode(content).decode()
        return f'<img src="data:{kind};base64,{data}"{width} alt="{html.escape(alt)}">'

    def forget(self):
        """Remove what was not used."""
        for path in self.folder.glob('*'):
            if path not in self.used:
                path.unlink()


def _write(path, content):
    path.parent.mkdir(parents=True, exist_ok=True)
    draft = path.with_suffix('.draft')
    draft.write_bytes(content)
    draft.replace(path)


def main(sources):
    """Draw SVG files beside themselves; what cannot be drawn is left to the process above."""
    for source in map(Path, sources):
        try:
            _write(source.with_suffix('.png'), draw(source.read_text('utf-8')))
        except ValueError:
            continue
        finally:
            source.unlink()


if __name__ == '__main__':
    main(sys.argv[1:])
