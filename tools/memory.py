"""How much memory a command and all that it starts take at most."""
import contextlib
import threading

import psutil

PERIOD = 1.0  # seconds between two looks


class Peak:
    """The largest sum of the resident sets so far, in bytes; shared pages count for each process.

        with Peak() as peak: ...
    """

    def __init__(self):
        self.bytes, self._stop = 0, threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)

    def look(self):
        this, total = psutil.Process(), 0
        for process in (this, *this.children(recursive=True)):
            with contextlib.suppress(psutil.Error):  # it has just ended
                total += process.memory_info().rss
        self.bytes = max(self.bytes, total)

    def line(self):
        return f'{"peak memory":13} {self.bytes / 2 ** 30:.2f} GiB'

    def _watch(self):
        while not self._stop.wait(PERIOD):
            self.look()

    def __enter__(self):
        self.look()
        self._thread.start()
        return self

    def __exit__(self, *error):
        self._stop.set()
        self._thread.join()
