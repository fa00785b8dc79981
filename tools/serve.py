"""Serves the rendered book on this machine."""
from __future__ import annotations

import contextlib
import functools
import http.server

HOST, USUAL = '127.0.0.1', 8000


class PortError(Exception):
    """The port that was asked for cannot be had."""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Quiet, and never served from a browser's cache, so that a new rendering is seen."""

    def end_headers(self):
        self.send_header('Cache-Control', 'no-cache')
        super().end_headers()

    def log_message(self, *arguments):
        pass


def open_server(folder, port=None):
    """A server that listens already.

    Args:
        folder: what to serve.
        port: None for the usual one, or any free one where that is taken.

    Raises:
        PortError: `port` is taken or not allowed.
    """
    return listen(functools.partial(Handler, directory=str(folder)), port)


def listen(handler, port=None):
    """A server that listens already; see `open_server`."""
    if port is None:
        with contextlib.suppress(OSError):
            return http.server.ThreadingHTTPServer((HOST, USUAL), handler)
    try:
        return http.server.ThreadingHTTPServer((HOST, port or 0), handler)
    except OSError as error:
        raise PortError(f'Port {port} cannot be used: {error.strerror}. Choose another by '
                        '--port N, or leave the option out for any free port.') from None


def check(port):
    """Raise `PortError` before the work rather than after it."""
    open_server('.', port).server_close()


def address(server):
    return f'http://{HOST}:{server.server_address[1]}/'


def serve(folder, port=None, say=print):
    """Serve a folder until Ctrl-C.

    Args:
        folder: what to serve.
        port: None for any free one.
        say: shows the address.
    """
    with open_server(folder, port) as server:
        say(f'served at     {address(server)}  (Ctrl-C ends it)')
        with contextlib.suppress(KeyboardInterrupt):
            server.serve_forever()
