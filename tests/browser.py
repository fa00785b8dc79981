"""The Chromium that the tests of pages share, and a server for what it shows."""
import contextlib
import os
import threading

import pytest

from tools import chromium, serve


@pytest.fixture(scope='session')
def browser():
    """One browser for all tests; where there is none, they are skipped or, if asked for, fail."""
    path = chromium.find()
    if path is None:
        (pytest.fail if os.environ.get('D2LRNN_REQUIRE_BROWSER') else pytest.skip)(chromium.MISSING)
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        with contextlib.closing(playwright.chromium.launch(executable_path=path,
                                                           args=chromium.FLAGS)) as launched:
            yield launched


@contextlib.contextmanager
def served(folder):
    """Serve a folder as `python3 -m tools book` does; gives its address without last slash."""
    with serve.open_server(folder, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        try:
            yield f'http://{serve.HOST}:{server.server_address[1]}'
        finally:
            server.shutdown()
