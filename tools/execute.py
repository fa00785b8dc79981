"""Executes the notebooks, several at a time, each in its framework's environment."""
from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass, field

import nbformat
from nbclient.exceptions import CellExecutionError

from tools import cache, failures, kernels, nodes

WITHOUT = 'this cell needs all epochs, and this build trained {} at most'


@dataclass
class Task:
    """One chapter on one framework.

    Args:
        chapter: its name.
        backend: a row of the table of backends.
        environment: where to execute it.
        notebook: what to execute; afterwards with its outputs.
    """
    chapter: str
    backend: object
    environment: object
    notebook: nbformat.NotebookNode
    digest: str = ''
    state: str = 'waiting'  # then 'prose' (no code), 'cached', 'executed' or 'failed'
    seconds: float = 0.0  # that its cells took, when they were last executed
    failure: str = ''

    @property
    def title(self):
        return f'{self.chapter}  {self.backend.title}'


@dataclass
class Settings:
    """How to execute.

    Args:
        paths: the checkout.
        corpus: what the models are trained on.
        jobs: how many notebooks at once.
        epochs: limit of the training, None for what the chapters say.
        force: execute again what the cache has.
        variables: environment variables of all kernels.
    """
    paths: object
    corpus: object
    jobs: int
    epochs: int | None = None
    force: bool = False
    variables: dict = field(default_factory=dict)


def threads(jobs):
    """How many threads each of several processes may use, so that they do not fight."""
    return max(1, (os.cpu_count() or 1) // jobs)


def limit(epochs=None):
    """What limits the training; without a limit, it lifts one that the user's shell has set."""
    return {'D2LRNN_MAX_EPOCHS': str(epochs or '')}


async def execute(tasks, settings, shown):
    """Execute what the cache lacks, and leave outputs, states and failures in the tasks.

    Args:
        tasks: list of `Task`.
        settings: a `Settings`.
        shown: a `progress`.
    """
    kept = cache.Cache(settings.paths.cache)
    for task in tasks:
        if task.state == 'waiting':
            _look_up(task, settings, kept)
    waiting = [task for task in tasks if task.state == 'waiting']
    # the longest first, so that none is left alone at the end; an unknown one may be the longest
    waiting.sort(reverse=True, key=lambda task: kept.seconds(
        task.chapter, task.backend, settings.epochs) or float('inf'))
    places = asyncio.Semaphore(settings.jobs)

    async def one(task, row):
        async with places:
            await _execute(task, settings, shown)
        if task.state == 'executed':
            kept.store(task.notebook, task.chapter, task.backend, task.digest, settings.epochs,
                       task.seconds)
        row.update('ended', row.done + 1, len(waiting))
    if waiting:
        with shown.row('notebooks') as row:
            row.update('ended', 0, len(waiting))
            await asyncio.gather(*(one(task, row) for task in waiting))
            row.end(row.text())


def _look_up(task, settings, kept):
    code = nodes.code_of(task.notebook)
    if settings.epochs:
        for cell in code:
            if kernels.SKIP in cell.metadata.get('tags', []):
                cell.metadata['d2lrnn']['skipped'] = WITHOUT.format(settings.epochs)
    if not code:
        task.state = 'prose'
        return
    task.digest = _digest(task, settings)
    seconds = None if settings.force else kept.load(task.notebook, task.chapter, task.backend,
                                                    task.digest, settings.epochs)
    if seconds is not None:
        task.state, task.seconds = 'cached', seconds


def _digest(task, settings):
    return cache.key(task.notebook, task.backend, task.environment, settings.paths,
                     settings.corpus, settings.epochs)


def holds(task, settings):
    """Whether a task of an earlier build, of the same chapter, need not be executed again."""
    if settings.force or task.state == 'waiting':
        return False
    if task.state == 'executed':
        task.state = 'cached'
    return task.state == 'prose' or task.digest == _digest(task, settings)


async def _execute(task, settings, shown):
    variables = {**settings.variables, **limit(settings.epochs)}
    name = kernels.write_spec(settings.paths, task.environment, variables, threads(settings.jobs))
    settings.paths.logs.mkdir(parents=True, exist_ok=True)
    log = settings.paths.logs / f'{task.chapter}-{task.backend.module}.log'
    began, metadata = time.monotonic(), dict(task.notebook.metadata)
    with shown.row(task.title) as row, open(log, 'w', encoding='utf-8') as file:
        client = kernels.Client(
            task.notebook, settings.paths.kernels, row, file, kernel_name=name,
            skip_cells_with_tag=kernels.SKIP if settings.epochs else '')
        row.update('starting')
        try:
            await client.run()
        except (CellExecutionError, RuntimeError, OSError) as error:
            failures.note(task, client, error, log)
        task.seconds = time.monotonic() - began
        task.notebook.metadata = nbformat.from_dict(metadata)  # the kernel's own is a machine's
        task.state = 'failed' if task.failure else 'executed'
        row.end('FAILED' if task.failure else f'{client.count} cells')
        if task.failure:
            shown.say(task.failure)
