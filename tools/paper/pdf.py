"""Prints the one page of an offline copy with Chromium."""
from __future__ import annotations

import contextlib
import io
import re
from importlib import resources
from pathlib import Path

from pypdf import PdfReader

from tools import chromium, render

SCRIPT = Path(__file__).with_name('print.js')
LIMIT = 300_000  # milliseconds for each step
PRINT = {'prefer_css_page_size': True, 'print_background': True}
WIDTH, HEIGHT = 665, 971  # A4 within the margins of print.css, in CSS pixels
SMALL = HEIGHT // 3       # what is lower stays on one page
DATE = re.compile(rb"/(?:CreationDate|ModDate) \(D:(\d{14}\+00'00')\)")
EPOCH = b"19800101000000+00'00'"
KINDS = {'pre': 'code or output', 'table': 'table', 'mjx-container': 'formula', 'img': 'picture',
         'figure': 'figure', 'code': 'name'}


class PrintError(render.RenderError):
    """The copy cannot be printed; the message says what is wrong and where."""


@contextlib.asynccontextmanager
async def browser(path):
    """A Chromium that ends with the block, also when that is cancelled.

    Args:
        path: of its program.
    Raises:
        PrintError: it did not start.
    """
    from playwright.async_api import Error, async_playwright
    async with async_playwright() as playwright:
        try:
            # signals are this process's own business
            opened = await playwright.chromium.launch(
                executable_path=path, args=[*chromium.FLAGS], handle_sigint=False,
                handle_sigterm=False, handle_sighup=False)
        except Error as error:
            raise PrintError(f'No PDF was made, because {path} did not start: '
                             f'{error.message.splitlines()[0]}') from error
        try:
            yield opened
        finally:
            await opened.close()


async def write(opened, page, contents, target):
    """Print a page.

    Args:
        opened: a `browser`.
        page: path of the HTML file; what it loads lies beside it.
        contents: its entries, whose page numbers are filled in.
        target: path of the PDF.
    Raises:
        PrintError: something is wider or higher than the paper, or cannot be shown.
    """
    from playwright.async_api import Error
    context = await opened.new_context(viewport={'width': WIDTH, 'height': HEIGHT},
                                       color_scheme='light')
    context.set_default_timeout(LIMIT)
    try:
        target.write_bytes(await _printed(await context.new_page(), page, contents))
    except Error as error:
        raise PrintError(f'{page.parent.name} was not printed: {error.message}') from error
    finally:
        with contextlib.suppress(Error):
            await context.close()


async def _printed(tab, page, contents):
    await tab.route(lambda address: not address.startswith(('file:', 'data:')),
                    lambda route: route.abort())
    await tab.emulate_media(media='print')
    await tab.goto(page.as_uri())
    await tab.add_script_tag(path=SCRIPT)
    with resources.as_file(resources.files('mathjax') / 'static' / 'mathjax') as folder:
        await tab.add_script_tag(url=(Path(folder) / 'es5' / 'tex-svg.js').as_uri())
        _refuse(f'chapters/{chapter}.md: {what}'
                for chapter, what in await tab.evaluate('complete()'))
    _refuse(f'chapters/{chapter}.md: this {KINDS[kind]} reaches {right} pixels across and {height} '
            f'down, a page {WIDTH} and {HEIGHT}: {said!r}' for chapter, kind, right, height, said
            in await tab.evaluate(f'tooLarge({WIDTH}, {HEIGHT})'))
    await tab.evaluate(f'keepTogether({SMALL})')
    numbers = _numbers(await tab.pdf(**PRINT), contents)
    await tab.evaluate(f'fillContents({numbers})')
    printed = await tab.pdf(**PRINT, outline=True, tagged=True)
    if _numbers(printed, contents) != numbers:
        raise PrintError('The page numbers of the contents moved the pages that they name.')
    # as long as before, because a PDF names its parts by where they stand
    return DATE.sub(lambda found: found[0].replace(found[1], EPOCH), printed)


def _refuse(faults):
    faults = list(faults)
    if faults:
        raise PrintError('\n'.join(faults))


def _numbers(printed, contents):
    """Numbers, from 1, of the pages that the contents lead to."""
    reader = PdfReader(io.BytesIO(printed))
    places = {name.lstrip('/'): place for name, place in reader.named_destinations.items()}
    return [reader.get_destination_page_number(places[entry.target]) + 1 for entry in contents]
