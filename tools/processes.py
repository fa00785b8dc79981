"""Child processes that leave nothing behind, however the run ends."""
from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess

GRACE = 5  # seconds between asking a process to end and ending it


def run(main):
    """Run a coroutine; SIGTERM and SIGHUP end it as Ctrl-C does.

    Raises:
        KeyboardInterrupt: a signal came; the coroutine has cleaned up.
    """
    async def guarded():
        task, loop = asyncio.current_task(), asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGHUP):
            loop.add_signal_handler(number, task.cancel)
        return await main
    try:
        return asyncio.run(guarded())
    except asyncio.CancelledError:
        raise KeyboardInterrupt from None


async def logged(command, log, on_line=lambda line: None, **options):
    """Run a command, its output going to a log file and line by line to a function.

    Args:
        command: list of arguments.
        log: text file that is open for writing.
        on_line: called with each line of the output.
        options: of `asyncio.create_subprocess_exec`.

    Returns:
        The exit status. A cancelled call ends the command and all that it started.
    """
    log.write(f'$ {" ".join(map(str, command))}\n')
    log.flush()
    # its own session: Ctrl-C reaches this process alone, which then ends the command
    process = await asyncio.create_subprocess_exec(
        *map(str, command), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT, start_new_session=True, limit=2 ** 24, **options)
    try:
        async for raw in process.stdout:
            line = raw.decode('utf-8', 'replace')
            log.write(line)
            log.flush()
            on_line(line.rstrip())
        return await process.wait()
    finally:
        await _end(process)


async def _end(process):
    """End what is left of a process's group."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS: of a dead group
        os.killpg(process.pid, signal.SIGTERM)
        with contextlib.suppress(asyncio.TimeoutError):
            await asyncio.wait_for(process.wait(), GRACE)
        os.killpg(process.pid, signal.SIGKILL)
    await process.wait()
