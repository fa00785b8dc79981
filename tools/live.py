"""Serves the book while it is written: an open page follows the builds."""
from __future__ import annotations

import contextlib
import functools
import html
import io
import json
import threading
import time
from pathlib import Path
from urllib.parse import urlsplit

from tools import serve

BUILDS = '/-/builds'  # address of the events; no page of the book can have it
SCRIPT = Path(__file__).with_suffix('.js')
BEAT = 10  # seconds between two signs of life to a page that waits
EMPTY = ('<!doctype html><html lang="en"><head><meta charset="utf-8"><title>d2lrnn</title></head>'
         '<body><p>There are no pages yet.</p></body></html>')


class State:
    """Which build the pages are of, and what is wrong with a later one."""

    def __init__(self):
        self.changed, self.ended, self.count = threading.Condition(), False, 0
        self.began, self.problem, self.told = time.time(), '', 0

    @property
    def build(self):
        return f'{self.began}-{self.count}'

    def tell(self, rendered, problem):
        """Let all open pages know how a build ended."""
        with self.changed:
            self.count += rendered
            self.problem = problem
            self.told += 1
            self.changed.notify_all()

    def end(self):
        with self.changed:
            self.ended = True
            self.changed.notify_all()

    def events(self):
        """What is to be sent to one page, until the end."""
        last = None
        while not self.ended:
            with self.changed:
                if last == self.told:
                    self.changed.wait(BEAT)
                fresh, last = last != self.told, self.told
                about = json.dumps({'build': self.build, 'problem': self.problem})
            yield f'data: {about}\n\n' if fresh else ':\n\n'


class Handler(serve.Handler):
    """Adds to each page, on its way to the browser, the script that waits for the next build."""

    def __init__(self, *arguments, state, **options):
        self.state = state
        super().__init__(*arguments, **options)

    def do_GET(self):  # noqa: N802, http.server's name
        if urlsplit(self.path).path == BUILDS:
            self._send_events()
        else:
            super().do_GET()

    def _send_events(self):
        self.send_response(200)
        self.send_header('Content-Type', 'text/event-stream')
        self.end_headers()
        with contextlib.suppress(OSError):  # the page was closed
            for event in self.state.events():
                self.wfile.write(event.encode())

    def send_head(self):
        address = urlsplit(self.path).path
        path = Path(self.translate_path(address + 'index.html' * address.endswith('/')))
        build = self.state.build  # before the page is read, which may be of the next one already
        if path.suffix == '.html' and path.is_file():
            text = path.read_text('utf-8')
        elif address in ('/', '/index.html'):
            text = EMPTY
        else:
            return super().send_head()
        script = f'<script data-build="{html.escape(build)}">{SCRIPT.read_text("utf-8")}</script>'
        body, end, rest = text.rpartition('</body>')
        content = f'{body}{script}{end}{rest}'.encode()
        self.send_response(200)
        self.send_header('Content-Type', 'text/html; charset=utf-8')
        self.send_header('Content-Length', str(len(content)))
        self.end_headers()
        return io.BytesIO(content)


@contextlib.contextmanager
def serving(folder, port, state):
    """Serve a folder in a thread; gives the address.

    Args:
        folder: what to serve; it need not be there yet.
        port: None for the usual one, or any free one where that is taken.
        state: a `State`.
    """
    handler = functools.partial(Handler, directory=str(folder), state=state)
    with serve.listen(handler, port) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield serve.address(server)
        finally:
            state.end()
            server.shutdown()
            thread.join()
