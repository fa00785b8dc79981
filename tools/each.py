"""One script in every framework's environment, and the lines of JSON that it prints."""
from __future__ import annotations

import asyncio
import json

from tools import execute, processes


async def run_each(script, arguments, environments, options, paths, variables, shown):
    """Run `python -m tools.<script> <backend> <arguments>` in every environment.

    Args:
        script: name of a module of this folder.
        arguments: list of what follows the backend's name.
        environments: backend module -> its `envs.Environment`.
        options: of the command line; `jobs` run at once.
        paths: of the checkout.
        variables: of the environment of the processes.
        shown: the progress display.

    Returns:
        backend module -> list of what its lines of JSON hold; empty where it failed.
    """
    places = asyncio.Semaphore(options.jobs)
    threads = execute.threads(options.jobs)
    paths.logs.mkdir(parents=True, exist_ok=True)
    title = script.partition('_')[0]

    async def one(module, environment):
        found = []

        def read(line):
            if line.startswith('{'):
                found.append(json.loads(line))
            elif line.startswith('epoch '):
                row.update(line)

        async with places:
            log = paths.logs / f'{title}-{module}.log'
            with shown.row(f'{title} {module}') as row, open(log, 'w', encoding='utf-8') as file:
                status = await processes.logged(
                    [environment.python, '-m', f'tools.{script}', module, *arguments], file, read,
                    cwd=paths.root, env={**environment.variables(paths.root, threads), **variables})
                row.end('FAILED' if status else 'done')
        return [] if status else found
    results = await asyncio.gather(*(one(*item) for item in environments.items()))
    return dict(zip(environments, results))


def faults(found, results, paths):
    """Return why a framework has no result, a line each.

    Args:
        found: the `prepare.Prepared` environments.
        results: what `run_each` returned.
        paths: of the checkout.
    """
    lines = [f'{module}: {why}' for module, why in {**found.unsuitable, **found.failed}.items()]
    return lines + [f'{module}: no result; see {paths.logs}' for module, result in results.items()
                    if not result]
