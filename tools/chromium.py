"""The Chromium that prints the book, and that the tests look at its pages with."""
from __future__ import annotations

import os
import shutil

VARIABLE = 'D2LRNN_CHROMIUM'
NAMES = ('chromium', 'chromium-browser', 'google-chrome')
# No sandbox, because root has none; nothing that calls home.
FLAGS = ('--headless', '--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run',
         '--disable-background-networking', '--disable-component-update', '--disable-sync')
MISSING = f'no Chromium: install one (Debian: apt install chromium), or let {VARIABLE} name it'


def find():
    """Path of Chromium: what the variable names, or the first on PATH; None without any."""
    return os.environ.get(VARIABLE) or next(filter(None, map(shutil.which, NAMES)), None)
