"""A notebook client whose kernel runs in a framework's environment and ends with the run."""
from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import tempfile
from pathlib import Path

from jupyter_client import AsyncKernelManager
from jupyter_client.kernelspec import KernelSpecManager
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from nbclient.util import ensure_async

from tools import nodes

SILENT = logging.Logger(__name__, logging.CRITICAL + 1)  # failures are reported by who asked
START = 120  # seconds that a kernel may take to start
SKIP = 'full-epochs'  # tag of cells that need more epochs than --epochs allows


def write_spec(paths, environment, variables, threads):
    """Write the kernel specification of an environment and return its name."""
    own = environment.variables(paths.root, threads)
    own = {name: own[name] for name in (*environment.pins.env, 'PYTHONPATH', 'PYTHONNOUSERSITE',
                                        'PYTHONDONTWRITEBYTECODE') if name in own}
    folder = paths.kernels / environment.name
    folder.mkdir(parents=True, exist_ok=True)
    # what native code prints, often with the time of day, is for the log and not for the page
    spec = {'argv': [str(environment.python), '-m', 'ipykernel_launcher', '-f',
                     '{connection_file}', '--IPKernelApp.capture_fd_output=False'],
            'display_name': environment.name, 'language': 'python',
            'env': {**own, 'IPYTHONDIR': str(paths.kernels / 'ipython'), **variables}}
    (folder / 'kernel.json').write_text(json.dumps(spec, indent=1), encoding='utf-8')
    return environment.name


class Client(NotebookClient):
    """Executes a notebook, tells how far it is, and leaves no kernel behind.

    Args:
        notebook: what to execute, in place.
        specs: folder of kernel specifications.
        row: of a `progress`, shows how far it is.
        output: file for what the kernel's process itself prints.
    """

    def __init__(self, notebook, specs, row, output, **traits):
        super().__init__(notebook, record_timing=False, startup_timeout=START, timeout=None,
                         log=SILENT, **traits)
        self.specs, self.row, self.output_file = specs, row, output
        self.count = len(nodes.code_of(notebook))
        self.at, self.status, self.traceback = None, None, []
        self.on_cell_execute, self.on_cell_error = self.started, self.failed

    async def run(self):
        """Execute in an empty folder.

        Raises:
            CellExecutionError, RuntimeError, OSError: what ended it before its end.
        """
        with (tempfile.TemporaryDirectory(prefix='d2lrnn-') as folder,
              tempfile.TemporaryDirectory(prefix='d2lrnn-') as sockets):
            self.sockets = Path(sockets)
            try:
                await self.async_execute(cwd=folder)
            except (CellExecutionError, RuntimeError, OSError) as error:
                if asyncio.current_task().cancelling():  # nbclient reports this as a dead kernel
                    raise asyncio.CancelledError from error
                raise

    def create_kernel_manager(self):
        specs = KernelSpecManager(kernel_dirs=[str(self.specs)], ensure_native_kernel=False)
        # files rather than ports: no other process can take one in between, or listen
        self.km = AsyncKernelManager(
            kernel_name=self.kernel_name, kernel_spec_manager=specs, transport='ipc',
            connection_file=str(self.sockets / 'kernel.json'))
        return self.km

    @contextlib.asynccontextmanager
    async def async_setup_kernel(self, **options):
        # nbclient's own replaces the handlers of SIGINT and SIGTERM and leaves the kernel alone
        # when it is cancelled while it starts
        self.create_kernel_manager()
        try:
            await self.async_start_new_kernel(stdout=self.output_file, stderr=self.output_file,
                                              **options)
            await self.async_start_new_kernel_client()
            yield
        finally:
            if self.km:
                self.status = await self.km.provisioner.poll() if self.km.has_kernel else None
                await self.km.shutdown_kernel(now=True)
                await ensure_async(self.km.cleanup_resources())
            if self.kc:
                self.kc.stop_channels()

    def started(self, cell, cell_index):
        """Called before each cell."""
        self.at = cell
        self.row.update('cell', cell.metadata['d2lrnn']['cell'], self.count)

    def failed(self, cell, cell_index, execute_reply):
        """Called after a cell that raised."""
        self.traceback = '\n'.join(execute_reply['content'].get('traceback', [])).splitlines()

    def process_message(self, message, cell, cell_index):
        metadata = message['content'].get('metadata') or {}
        training = metadata.pop('d2lrnn', None)  # for the terminal, not for the page
        if isinstance(training, dict):
            self.row.update('cell', cell.metadata['d2lrnn']['cell'], self.count, training)
        return super().process_message(message, cell, cell_index)
