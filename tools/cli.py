"""The commands and their options. Names are checked before anything is made."""
from __future__ import annotations

import argparse
import importlib
import os
from dataclasses import dataclass
from pathlib import Path

from tools import colab


@dataclass(frozen=True)
class Command:
    """One command.

    Args:
        help: what it does, in a line.
        run: `module:function`, imported inside the book's environment and called with the options,
            the paths and the table of backends; returns the exit status.
        options: names of `OPTIONS`.
    """
    help: str
    run: str
    options: tuple[str, ...]


COMMANDS = {
    'book': Command('make the environments, execute the notebooks, render and serve the book',
                    'tools.book:main', ('backend', 'chapter', 'jobs', 'epochs', 'offline', 'force',
                                        'keep-going', 'watch', 'no-serve', 'port', 'colab')),
    'notebooks': Command('build the book without serving it, and say where its notebooks are',
                         'tools.notebooks:main', ('backend', 'chapter', 'jobs', 'epochs', 'offline',
                                                  'force', 'colab')),
    'copies': Command('build the book without serving it, and a PDF and an EPUB a framework',
                      'tools.copies:main', ('backend', 'chapter', 'jobs', 'epochs', 'offline',
                                            'force', 'copies', 'colab')),
    'test': Command('make the environments and run every test on every framework',
                    'tools.testing:main', ('backend', 'jobs', 'offline', 'keyword', 'no-chapters')),
    'measure': Command('train the networks of the chapter on stacks from the same weights on every '
                       'framework, and compare their perplexities',
                       'tools.measure:main', ('backend', 'jobs', 'epochs', 'offline')),
    'parity': Command('compare every model on every framework with the oracle and with the others: '
                      'outputs, gradients, losses, exchanged files',
                      'tools.parity:main', ('backend', 'jobs', 'offline')),
    'study': Command('measure what the book claims: gradients by depth, both directions against '
                     'one, memory with recomputation, the wavefront',
                     'tools.study:main', ('backend', 'only', 'offline')),
    'env': Command('make the environments only',
                   'tools.prepare:main', ('backend', 'jobs', 'offline')),
    'sync': Command('fill the cells of the chapters that show library code',
                    'tools.drift:main', ('check',)),
    'check': Command('check the text of the book and of the documents, without executing anything',
                     'tools.check:main', ('chapter', 'html', 'list')),
}


# What `study` measures: modules of tools/studies.
STUDIES = {
    'gradients': 'the gradient at the lowest layer by depth, with residuals and layer norm',
    'tagger': 'vowels restored in both directions and in one, over five seeds',
    'memory': 'peak memory and time of a step with and without recomputation',
    'wavefront': 'anti-diagonals against layer by layer and the fused layer',
}


def _number(low, high):
    def parse(text):
        try:
            number = int(text)
        except ValueError:
            number = None
        if number is None or not low <= number <= high:
            raise argparse.ArgumentTypeError(f'{text!r} is not a whole number from {low} to {high}')
        return number
    return parse


def _names(kind, names):
    """Parser of a comma-separated list.

    Args:
        kind: what is named.
        names: dictionary of each accepted name to what it stands for.
    """
    def parse(text):
        found = []
        for name in filter(None, (part.strip() for part in text.split(','))):
            if name not in names:
                raise argparse.ArgumentTypeError(
                    f'there is no {kind} {name!r}; expected one of {", ".join(names)}')
            found.append(names[name])
        if not found:
            raise argparse.ArgumentTypeError(
                f'no {kind} named; expected one of {", ".join(names)}')
        return found
    return parse


def _address(text):
    try:
        return colab.address(text)
    except colab.AddressError as error:
        raise argparse.ArgumentTypeError(error) from None


# Options that need to know nothing of the checkout.
SWITCHES = {
    'jobs': dict(flags=['--jobs'], type=_number(1, 256), metavar='N',
                 default=min(4, os.cpu_count() or 1),
                 help='how many environments, notebooks or test runs at once; default '
                      '%(default)s'),
    'epochs': dict(flags=['--epochs'], type=_number(1, 10 ** 6), metavar='N',
                   help='train at most N epochs, and leave out what needs all of them'),
    'offline': dict(flags=['--offline'], action='store_true',
                    help='ask neither a package index nor the network for a corpus'),
    'force': dict(flags=['--force'], action='store_true',
                  help='execute notebooks again though nothing changed'),
    'keep-going': dict(flags=['--keep-going'], action='store_true',
                       help='render what a cell that failed has left, with its error in the '
                            'page; the exit status is still 1'),
    'watch': dict(flags=['--watch'], action='store_true',
                  help='serve, and build again whenever a chapter, a picture, the library or '
                       "the site's settings change"),
    'colab': dict(flags=['--colab'], type=_address, metavar='ADDRESS',
                  help='link each notebook to Colab, which finds it under this address; empty '
                       'for none; default from pyproject.toml'),
    'no-serve': dict(flags=['--no-serve'], action='store_true',
                     help='end after rendering'),
    'port': dict(flags=['--port'], type=_number(1, 65535), metavar='N',
                 help='serve on this port; default 8000, or any free one'),
    'keyword': dict(flags=['-k'], dest='keyword', metavar='EXPRESSION',
                    help="only the tests that match, as pytest's -k; no chapters"),
    'no-chapters': dict(flags=['--no-chapters'], action='store_true',
                        help='do not execute the chapters'),
    'check': dict(flags=['--check'], action='store_true',
                  help='change nothing; exit with status 1 where a cell differs'),
    'html': dict(flags=['--html'], type=Path, metavar='FOLDER',
                 help='look at the rendered pages there; default _build/html, if it is there'),
    'list': dict(flags=['--list'], action='store_true', help='only print the rules'),
}


def _options(paths, backends):
    backend = {name: row.module for row in backends for name in (row.module, row.tab)}
    chapter = {name: name for name in paths.chapter_names()}
    return {
        'backend': dict(flags=['--backend'], action='extend', metavar='NAME',
                        type=_names('backend', backend),
                        help='only this framework (repeatable, or separated by commas): '
                             + ', '.join(backend)),
        'only': dict(flags=['--only'], action='extend', metavar='NAME',
                     type=_names('study', {name: name for name in STUDIES}),
                     help='only this study (repeatable, or separated by commas): '
                          + ', '.join(STUDIES)),
        'copies': dict(flags=['--only'], dest='copies', action='extend', metavar='KIND',
                       type=_names('copy', {'pdf': 'pdf', 'epub': 'epub'}),
                       help='only this copy (repeatable, or separated by commas): pdf, epub'),
        'chapter': dict(flags=['--chapter'], action='extend', metavar='NAME',
                        type=_names('chapter', chapter),
                        help='only this chapter (repeatable, or separated by commas)'),
        **SWITCHES,
    }


def flags(paths, backends):
    """The options of each command, as they are written."""
    options = _options(paths, backends)
    return {name: [flag for option in command.options for flag in options[option]['flags']]
            + ['--help', '-h'] for name, command in COMMANDS.items()}


def parse(arguments, paths, backends):
    """Read the command line; unknown names end the program with the valid ones."""
    parser = argparse.ArgumentParser(prog='python3 -m tools', allow_abbrev=False)
    commands = parser.add_subparsers(dest='command', metavar='COMMAND', required=True)
    options = _options(paths, backends)
    for name, command in COMMANDS.items():
        sub = commands.add_parser(name, help=command.help, description=command.help + '.',
                                  allow_abbrev=False)
        for option in command.options:
            keywords = dict(options[option])
            sub.add_argument(*keywords.pop('flags'), **keywords)
    found = parser.parse_args(arguments)
    if getattr(found, 'watch', False) and found.no_serve:
        commands.choices['book'].error('--watch serves the book; leave --no-serve out')
    return found


def run(options, paths, backends):
    """Run the command that was asked for and return its exit status."""
    module, function = COMMANDS[options.command].run.split(':')
    return getattr(importlib.import_module(module), function)(options, paths, backends)
