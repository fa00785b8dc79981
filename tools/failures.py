"""What failed in a notebook: where in its chapter, why, and what was left undone."""
from __future__ import annotations

import re
import signal

from nbclient.exceptions import CellExecutionError, DeadKernelError

from tools import nodes, progress

TAIL = 15  # lines of a traceback that are shown
FRAME = r'Cell In\[{}\], line (\d+)'  # as IPython names a place in a cell
UNSTARTED = 'the kernel did not start'


def note(task, client, error, log):
    """Leave in a task what failed, where and why, and in its cells what a reader has to know.

    Args:
        task: an `execute.Task`.
        client: the `kernels.Client` that executed it.
        error: what ended the execution.
        log: the kernel's log; a traceback is added to it.
    """
    lines = _lines(client, error, log)
    what = _what(client, error).strip().split('\n')[0]
    task.failure = (f'{task.title}  {_where(task, client)}: {progress.plain(what)}\n'
                    + ''.join(f'    {line}\n' for line in lines[-TAIL:] if line.strip())
                    + f'  Full output: {log}')
    code = nodes.code_of(task.notebook)
    failed = client.at or code[0]
    if not any(output.output_type == 'error' for output in failed.outputs):
        failed.outputs.append(nodes.output(
            'error', ename=type(error).__name__, evalue=what, traceback=[what]))
    about = failed.metadata['d2lrnn']
    about['failed'] = f'line {_line(client)}: {progress.plain(what)}' if client.at else what
    for cell in code[code.index(failed) + 1:]:
        cell.metadata['d2lrnn']['skipped'] = (
            f'the cell of line {about["line"]} failed' if client.at else UNSTARTED)


def _where(task, client):
    if client.at is None:
        return UNSTARTED
    return (f'cell {client.at.metadata["d2lrnn"]["cell"]} '
            f'(chapters/{task.chapter}.md:{_line(client)})')


def _line(client):
    """The chapter's line that raised, or that called what did; the fence's if none is known."""
    place = client.at.metadata['d2lrnn']
    frame = FRAME.format(client.at.execution_count)
    found = re.findall(frame, progress.plain('\n'.join(client.traceback)))
    if not found:
        return place['line']
    # IPython does not count the empty lines that a cell starts with
    source = client.at.source
    empty = source[:len(source) - len(source.lstrip())].count('\n')
    return place['body'] + empty + int(found[-1]) - 1


def _what(client, error):
    """The error in words."""
    if isinstance(error, CellExecutionError):
        return f'{error.ename}: {error.evalue}'
    if isinstance(error, DeadKernelError) and client.status is not None:
        if client.status < 0:
            name = signal.Signals(-client.status).name
            hint = ' (often the machine has run out of memory; try --jobs 1)' \
                if client.status == -signal.SIGKILL else ''
            return f'the kernel was ended by {name}{hint}'
        return f'the kernel ended with status {client.status}'
    return f'{UNSTARTED}: {error}' if client.at is None else str(error)


def _lines(client, error, log):
    """The traceback, or the log of a kernel that has ended."""
    if not isinstance(error, CellExecutionError):
        return log.read_text('utf-8', 'replace').splitlines()
    with open(log, 'a', encoding='utf-8') as file:
        file.write(progress.plain('\n'.join(client.traceback)) + '\n')
    return client.traceback
