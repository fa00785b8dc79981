"""Starts on the standard library alone and goes on inside the book's environment."""
import os
import sys

NEEDED = (3, 9)

if sys.version_info < NEEDED or os.name != 'posix':
    sys.exit('python -m tools needs Python %d.%d or newer on Linux or macOS; this is Python %s on '
             '%s (%s).' % (NEEDED + (sys.version.split()[0], sys.platform, sys.executable)))

from tools import bootstrap  # noqa: E402  only what is new enough may parse it

if __name__ == '__main__':
    sys.exit(bootstrap.main(sys.argv[1:]))
