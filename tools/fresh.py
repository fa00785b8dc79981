"""Runs downloaded notebooks as a reader does: in a new environment without the book's library.

The environment has pip and what the framework's pins hold, and a folder with a wheel of the library
stands for the package index. What the first cell does, only pip sees: nothing is put on the path.
"""
from __future__ import annotations

import asyncio
import os
import re
import shutil
import sys
import tempfile
import time
from dataclasses import dataclass
from importlib.metadata import distributions
from pathlib import Path

import nbformat
from nbclient.exceptions import CellExecutionError

from tools import (book, chapter, downloads, envs, execute, kernels, nodes, processes, progress,
                   results)
from tools.paths import Paths

COUNT = 4  # chapters, the first of the book that have code
PACKED = ('d2lrnn', 'setup.py', 'pyproject.toml', 'README.md')
NAME = re.compile(r'[\w.-]+')  # of what a package requires
PROBE = 'import d2lrnn; print(d2lrnn.__file__)'


class FreshError(Exception):
    """A notebook that does not run as a reader would run it."""


@dataclass
class Bench:
    """Where the notebooks are run.

    Args:
        folder: for all that is made, outside of the checkout.
        variables: environment variables of all kernels.
        jobs: how many at once.
        logs: folder of the logs.
    """
    folder: Path
    variables: dict
    jobs: int
    logs: Path

    @property
    def wheels(self):
        return self.folder / 'wheels'


def run(offered, environments, corpus, options, paths):
    """Run some notebooks on each framework.

    Args:
        offered: folder of the notebooks, with one for each framework.
        environments: backend module -> its `envs.Environment`.
        corpus: what the models are trained on.
        options: of the command line.
        paths: the checkout.

    Returns:
        Results of each framework.
    """
    found = {module: results.Results(f'downloads  {module}') for module in environments}
    variables = {**book.variables(corpus), **execute.limit(1), 'PIP_NO_INDEX': '1',
                 'PYTHONPATH': '', 'PIP_DISABLE_PIP_VERSION_CHECK': '1'}
    with tempfile.TemporaryDirectory(prefix='d2lrnn-fresh-') as folder:
        bench = Bench(Path(folder), variables, options.jobs, paths.logs)
        bench.variables['PIP_FIND_LINKS'] = str(bench.wheels)
        with progress.start() as shown:
            processes.run(_run_all(offered, environments, bench, shown, found, paths))
    return list(found.values())


async def _run_all(offered, environments, bench, shown, found, paths):
    bench.logs.mkdir(parents=True, exist_ok=True)
    places = asyncio.Semaphore(bench.jobs)

    async def one(module, environment):
        began = time.monotonic()
        async with places:
            with shown.row(found[module].title) as row:
                try:
                    await _run(offered / module, environment, bench, row, found[module])
                except (FreshError, OSError) as error:
                    found[module].failed.append(('environment', results.tail(str(error))))
                row.end('FAILED' if found[module].failed else f'{found[module].passed} notebooks')
        found[module].seconds = time.monotonic() - began
    try:
        await wheel(paths, bench)
    except FreshError as error:
        for result in found.values():
            result.failed.append(('wheel', results.tail(str(error))))
        return
    await asyncio.gather(*(one(*item) for item in environments.items()))


async def wheel(paths, bench):
    """Build the library's wheel from a copy, as building leaves files beside the sources."""
    source = bench.folder / 'source'
    for name in PACKED:
        part = paths.root / name
        if part.is_dir():
            shutil.copytree(part, source / name, ignore=shutil.ignore_patterns('__pycache__'))
        else:
            shutil.copyfile(part, source / name)
    await _command([sys.executable, '-m', 'pip', 'wheel', '--no-deps', '--no-build-isolation',
                    '--no-index', '--wheel-dir', bench.wheels, source], bench, 'wheel')


async def _command(command, bench, name, **options):
    with open(bench.logs / f'fresh-{name}.log', 'a', encoding='utf-8') as log:
        lines = []
        if await processes.logged(command, log, lines.append, cwd=bench.folder, **options):
            raise FreshError('\n'.join([' '.join(map(str, command)), *lines]))


async def fresh(environment, bench):
    """A new environment that has what another one has, and pip."""
    made = envs.Environment(environment.pins, bench.folder / environment.name)
    base = getattr(sys, '_base_executable', sys.executable)
    bare = {name: value for name, value in os.environ.items() if name != 'PYTHONPATH'}
    await _command([base, '-m', 'venv', made.path], bench, environment.name, env=bare)
    # which comes with Python 3.11 and is older than what a framework may need
    await _command([made.python, '-m', 'pip', 'uninstall', '--yes', 'setuptools'], bench,
                   environment.name, env=bare)
    lent = [str(folder) for folder in environment.path.glob('lib/python*/site-packages')]
    site, = made.path.glob('lib/python*/site-packages')
    (site / 'lent.pth').write_text(
        ''.join(f'import site; site.addsitedir({folder!r})\n' for folder in lent), 'utf-8')
    if list(distributions(name='d2lrnn', path=[*lent, str(site)])):
        raise FreshError(f'{environment.path} has d2lrnn, so nothing would be installed')
    _stand_in(bench.wheels, lent, site)
    return made, site


def _stand_in(wheels, lent, site):
    """Tell pip of modules that another package has than the one that the library asks for.

    Pins may take the build of a framework for processors only, which has a name of its own; readers
    have the one that the library's extra names.
    """
    library, = distributions(path=[str(path) for path in wheels.glob('*.whl')])
    asked = {NAME.match(requirement)[0] for requirement in library.requires}
    there = list(distributions(path=lent))
    for name in sorted(asked - {found.name for found in there}):
        for found in there:
            if name in (found.read_text('top_level.txt') or '').split():
                folder = site / f'{name}-{found.version}.dist-info'
                folder.mkdir()
                (folder / 'METADATA').write_text(
                    f'Metadata-Version: 2.1\nName: {name}\nVersion: {found.version}\n', 'utf-8')


async def _run(offered, environment, bench, row, result):
    row.update('environment')
    made, site = await fresh(environment, bench)
    installed, paths = None, chosen(offered)
    if not paths:
        raise FreshError(f'no notebook with code in {offered}')
    for path in paths:
        name = path.stem.removesuffix(downloads.WITHOUT)
        try:
            installed = _check(await _execute(path, made, bench, row), site, installed)
            result.passed += 1
        except FreshError as error:
            result.failed.append((name, results.tail(progress.plain(str(error)))))


def chosen(offered):
    """Paths of the notebooks to run, those without outputs, in the order of the book."""
    paths = [offered / f'{name}{downloads.WITHOUT}.ipynb' for name in chapter.names()]
    return [path for path in paths
            if path.is_file() and nodes.code_of(nbformat.read(path, 4))][:COUNT]


async def _execute(path, environment, bench, row):
    """Run a notebook, and ask at its end where the library came from."""
    notebook = nbformat.read(path, 4)
    notebook.cells.append(nodes.code(PROBE, 'probe', {}))
    for number, cell in enumerate(nodes.code_of(notebook), 1):
        cell.metadata['d2lrnn'] = {'cell': number}  # for the row
    name = kernels.write_spec(Paths(bench.folder), environment, bench.variables,
                              execute.threads(bench.jobs))
    log = bench.logs / f'fresh-{environment.name}-{path.stem}.log'
    with open(log, 'w', encoding='utf-8') as file:
        client = kernels.Client(notebook, Paths(bench.folder).kernels, row, file,
                                kernel_name=name, skip_cells_with_tag=kernels.SKIP)
        try:
            await client.run()
        except (CellExecutionError, RuntimeError) as error:
            said = [output.get('text', '') for output in nodes.code_of(notebook)[0].outputs]
            raise FreshError(f'{error}\nThe first cell said: {"".join(said)}') from error
    return notebook


def _check(notebook, site, before):
    """When the library was installed; raises FreshError where it was not, or once more."""
    place = notebook.cells[-1].outputs[0].text.strip()
    if not Path(place).is_relative_to(site):
        raise FreshError(f'd2lrnn was imported from {place}, not from {site}')
    made, = site.glob('d2lrnn-*.dist-info')
    when = made.stat().st_mtime_ns
    if before not in (None, when):
        raise FreshError('the first cell installed the library, though it was there')
    return when
