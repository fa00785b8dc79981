"""What every command does first: the environments, with what is missing and why."""
from __future__ import annotations

import contextlib
import sys
import time
from dataclasses import dataclass, field

from tools import bootstrap, envs, processes, progress


@dataclass
class Prepared:
    """The environments of the frameworks.

    Args:
        ready: backend module -> its `envs.Environment`.
        unsuitable: backend module -> why this machine cannot have it.
        failed: backend module -> the `envs.SetupError`.
    """
    ready: dict = field(default_factory=dict)
    unsuitable: dict = field(default_factory=dict)
    failed: dict = field(default_factory=dict)


def asked_for(options, backends):
    """The rows of the table of backends that --backend names, or all."""
    return [row for row in backends if not options.backend or row.module in options.backend]


@contextlib.contextmanager
def prepared(options, paths, backends):
    """Make the environments of what was asked for, and hold the checkout's lock meanwhile.

    Yields:
        `Prepared`. What failed has been reported on standard error.
    """
    found = Prepared()
    with envs.lock(paths) as held:
        wanted = {row.module: envs.get(paths, row.module) for row in asked_for(options, backends)}
        for module, environment in wanted.items():
            reason = environment.pins.unsuitable()
            if reason:
                found.unsuitable[module] = reason
                print(f'No environment {module}: {reason}', flush=True)
        rest = {module: environment for module, environment in wanted.items()
                if module not in found.unsuitable}
        with progress.start() as shown:
            failures = processes.run(envs.make_all(list(rest.values()), paths, shown, options.jobs,
                                                   options.offline, (held,)))
        for module, environment in rest.items():
            if failures[module]:
                found.failed[module] = failures[module]
                print(f'\n{failures[module]}', file=sys.stderr)
            else:
                found.ready[module] = environment
        yield found


def main(options, paths, backends):
    """`python3 -m tools env`."""
    began = bootstrap.began()
    with prepared(options, paths, backends) as found:
        for module, environment in found.ready.items():
            print(f'{module:12} ready  {environment.path}')
        for module, reason in found.unsuitable.items():
            print(f'{module:12} none   {reason}')
    print(f'{"total":12} {time.time() - began:.1f} s')
    return 1 if found.failed or (options.backend and found.unsuitable) else 0
