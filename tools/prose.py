"""The directives of a MyST text, nested ones included, each with its lines."""
import functools
from dataclasses import dataclass

from docutils.parsers.rst import Directive as DocutilsDirective
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.directives import parse_directive_text
from myst_parser.parsers.mdit import create_md_parser

MYST_EXTENSIONS = ('amsmath', 'attrs_block', 'colon_fence', 'deflist', 'dollarmath',
                   'substitution')
SYNC_GROUP = 'fw'
# What they hold is not Markdown, so a directive's name in it is only text.
LITERAL = {'bibliography', 'code', 'code-block', 'code-cell', 'eval-rst', 'literalinclude',
           'math', 'parsed-literal', 'raw', 'raw-cell', 'sourcecode', 'toctree'}


class OptionsError(Exception):
    """Options of a block that cannot be read: (line, what is wrong)."""


class _AnyDirective(DocutilsDirective):
    has_content = True
    optional_arguments = 1
    option_spec = {'any': str}


@dataclass(frozen=True)
class Directive:
    name: str
    argument: str
    content: str             # options and body
    line: int                # of the opening fence, from 1
    end: int                 # of the closing fence
    parents: tuple[str, ...]  # what it stands in, outermost first

    @functools.cached_property
    def _parsed(self):
        parsed = parse_directive_text(_AnyDirective, '', self.content, line=self.line,
                                      validate_options=False)
        for warning in parsed.warnings:
            raise OptionsError(warning.lineno or self.line, f'{self.name}: {warning.msg}')
        return parsed

    @property
    def options(self):
        return self._parsed.options

    @property
    def body(self):
        return '\n'.join(self._parsed.body)

    @property
    def body_line(self):
        """Line where the body starts, that of the closing fence if there is none."""
        return self.line + 1 + self._parsed.body_offset


@functools.cache
def _parser():
    config = MdParserConfig(enable_extensions=set(MYST_EXTENSIONS), disable_syntax=['inline'])
    return create_md_parser(config, RendererHTML)


def directives(text, line=1, parents=()):
    """Yields every Directive of text in order, those inside others too.

    Args:
        text: MyST Markdown.
        line: number of its first line.
        parents: names of the blocks it stands in.
    """
    opened = []
    for token in _parser().parse(text):
        if token.nesting:
            opened.append(token.tag) if token.nesting > 0 else opened.pop()
        if token.type not in ('fence', 'colon_fence') or not token.info.startswith('{'):
            continue
        name, _, argument = token.info[1:].partition('}')
        start, end = token.map
        around = (*parents, *opened)
        yield Directive(name, argument.strip(), token.content, line + start, line + end - 1,
                        around)
        if name not in LITERAL:
            yield from directives(token.content, line + start + 1, (*around, name))


def is_synced(directive):
    return (directive.name == 'tab-set'
            and directive.options.get('sync-group') == SYNC_GROUP)


def tab_items(directive):
    """The tab items directly in a tab set."""
    inner = directives(directive.content, directive.line + 1)
    return [item for item in inner if item.name == 'tab-item' and not item.parents]


def flatten(text, tab):
    """The text for the notebook of one framework, which knows none of the book's own blocks.

    A synced tab set becomes what its tab for this framework holds, a solution's fence a
    bold line, and the caption of a figure made by a cell an ordinary paragraph.
    """
    lines, replaced = text.split('\n'), []
    for directive in directives(text):
        inside = replaced and directive.line <= replaced[-1][0].end
        new = None if inside else _replacement(directive, tab)
        if new is not None:
            replaced.append((directive, new))
    for directive, new in reversed(replaced):
        fence = lines[directive.line - 1]
        indent = fence[:len(fence) - len(fence.lstrip())]
        lines[directive.line - 1:directive.end] = [
            indent + part if part else part for part in new.split('\n')]
    return '\n'.join(lines).strip('\n')


def _replacement(directive, tab):
    if is_synced(directive):
        chosen = [item for item in tab_items(directive) if item.options.get('sync') == tab]
        return flatten(chosen[0].body, tab) if chosen else ''
    if directive.name == 'solution-start':
        return f'**{directive.argument}**'
    if directive.name == 'solution-end':
        return ''
    if directive.name == 'cell-figure':
        return directive.body.strip()
    return None
