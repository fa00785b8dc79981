"""Reads a requirements file: exact pins, and headers with what only that environment needs.

    # requires-python: >=3.9,<3.12
    # no-build: macosx-*-arm64
    # because: the reason of the line above
    # env: OMP_NUM_THREADS={threads}
    # shows: Name=package Other=another
"""
from __future__ import annotations

import fnmatch
import hashlib
import operator
import re
import sys
import sysconfig
from dataclasses import dataclass
from pathlib import Path

HEADER = re.compile(r'# (requires-python|no-build|because|env|shows): (.+)')
PIN = re.compile(r'([A-Za-z0-9._-]+)==([^\s;*]+)(\s*;.+)?')
COMPARE = {'>=': operator.ge, '<': operator.lt}


class PinsError(Exception):
    """A requirements file that cannot be used; the message starts with file:line."""


@dataclass(frozen=True)
class Pins:
    """What one environment holds and needs.

    Args:
        name: the environment's.
        path: the file.
        lines: its pins.
        limits: triples of a header's name, its limit and the reason.
        env: environment variables, `{threads}` in their values stands for the number of threads.
        shows: pairs of a package that readers want to know the version of, as they know it and
            as it is pinned.
    """
    name: str
    path: Path
    lines: tuple[str, ...]
    limits: tuple[tuple[str, str, str], ...]
    env: dict[str, str]
    shows: tuple[tuple[str, str], ...] = ()

    def versions(self):
        """What the environment holds, for readers: such as 'Name 1.2, Other 3.4'."""
        pinned = dict(PIN.fullmatch(line).groups()[:2] for line in self.lines)
        return ', '.join(f'{name} {pinned[package]}' for name, package in self.shows)

    def digest(self):
        """Hash of the pins alone: a reworded comment leaves the environment as it is."""
        return hashlib.sha256('\n'.join(sorted(self.lines)).encode()).hexdigest()

    def unsuitable(self, version=None, platform=None):
        """Why this environment cannot be made here, or None.

        Args:
            version: of Python, None for the running one.
            platform: as `sysconfig.get_platform` names it, None for this one.
        """
        version = tuple(version or sys.version_info)[:2]
        platform = platform or sysconfig.get_platform()
        for kind, limit, reason in self.limits:
            if kind == 'requires-python' and not _holds(limit, version):
                return (f'Python {limit} is needed, this is {version[0]}.{version[1]}'
                        + (f': {reason}' if reason else ''))
            if kind == 'no-build' and fnmatch.fnmatch(platform, limit):
                return f'not for {platform}' + (f': {reason}' if reason else '')
        return None


def _holds(limit, version):
    for part in limit.split(','):
        sign, number = re.fullmatch(r'(>=|<)(\d+\.\d+)', part).groups()
        if not COMPARE[sign](version, tuple(map(int, number.split('.')))):
            return False
    return True


def read(path):
    """Read one requirements file.

    Raises:
        PinsError: no such file, or a line that is neither a comment nor an exact pin.
    """
    try:
        text = path.read_text(encoding='utf-8')
    except FileNotFoundError:
        raise PinsError(f'{path}: missing; it holds the pins of the environment {path.stem}') \
            from None
    lines, limits, env, shows = [], [], {}, []
    for number, line in enumerate(text.splitlines(), 1):
        if line and not line.startswith('#'):
            if not PIN.fullmatch(line):
                raise PinsError(f'{path}:{number}: {line!r} is no exact pin; expected '
                                'name==version')
            lines.append(line)
        header = HEADER.fullmatch(line)
        if header:
            try:
                _take(header[1], header[2], limits, env, shows)
            except ValueError as error:
                raise PinsError(f'{path}:{number}: {error}') from None
    absent = {package for _, package in shows} - {PIN.fullmatch(line)[1] for line in lines}
    if absent:
        raise PinsError(f'{path}: shows {", ".join(sorted(absent))}, which it does not pin')
    return Pins(path.stem, path, tuple(lines), tuple(limits), env, tuple(shows))


def _take(key, value, limits, env, shows):
    if key == 'env':
        name, equals, text = value.partition('=')
        if not equals:
            raise ValueError(f'{value!r} is no variable; expected NAME=value')
        env[name] = text
    elif key == 'shows':
        pairs = [part.partition('=')[::2] for part in value.split()]
        if not all(map(all, pairs)):
            raise ValueError(f'{value!r} names no packages; expected Name=package')
        shows += pairs
    elif key == 'because':
        if not limits:
            raise ValueError('a reason without a limit before it')
        limits[-1] = (*limits[-1][:2], value)
    else:
        if key == 'requires-python':
            if not re.fullmatch(r'(>=|<)\d+\.\d+(,(>=|<)\d+\.\d+)*', value):
                raise ValueError(f'{value!r} is no limit; expected such as >=3.9,<3.12')
        limits.append((key, value, ''))
