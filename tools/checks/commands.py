"""What the texts say of `python3 -m tools` names commands and options that exist."""
import re
import shlex

from d2lrnn import BACKENDS

from tools import cli, paths

CALL = re.compile(r'\bpython3? -m tools\b(.*)')
WORD = re.compile(r'[a-z][a-z-]*')


def find(book):
    options = cli.flags(paths.Paths(book.root), BACKENDS)
    for source in book.sources:
        for line, code in _code(source):
            for number, text in enumerate(code.split('\n')):
                for match in CALL.finditer(text):
                    for message in _faults(match[1], options):
                        yield source.finding(line + number, message)


def _code(source):
    for block in source.text.blocks:
        for piece in block.pieces:
            if piece.kind == 'code_inline':
                yield piece.line, piece.text
    yield from source.text.code


def _faults(call, options):
    try:
        words = shlex.split(call, comments=True)
    except ValueError:
        words = call.split()
    if not words or not WORD.fullmatch(words[0]):
        return  # a placeholder, or options of the whole
    command, *rest = words
    if command not in options:
        yield (f'`python3 -m tools {command}`, but there is no such command; expected one of '
               f'{", ".join(options)}')
        return
    for word in rest:
        flag = word.partition('=')[0]
        if flag.startswith('-') and flag not in options[command]:
            yield (f'`python3 -m tools {command}` has no option {flag}; it has '
                   f'{", ".join(options[command])}')
