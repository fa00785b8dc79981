"""The directives of a MyST text, nested ones included, each with its lines."""
import functools
import re
from dataclasses import dataclass

from docutils.parsers.rst import Directive as DocutilsDirective
from markdown_it.renderer import RendererHTML
from myst_parser.config.main import MdParserConfig
from myst_parser.parsers.directives import parse_directive_text
from myst_parser.parsers.mdit import create_md_parser

MYST_EXTENSIONS = ('amsmath', 'attrs_block', 'colon_fence', 'deflist', 'dollarmath',
                   'substitution')
SYNC_GROUP = 'fw'
TITLED = re.compile(r'(.+?)\s*<([^<>]+)>', re.DOTALL)
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
def parser(inline=True):
    """The parser of MyST Markdown, with what stands inside of paragraphs or without."""
    config = MdParserConfig(enable_extensions=set(MYST_EXTENSIONS),
                            disable_syntax=[] if inline else ['inline'])
    return create_md_parser(config, RendererHTML)


def as_directive(token, line, parents):
    """The Directive of a fence, or None for any other token of a text that starts in line."""
    if token.type not in ('fence', 'colon_fence') or not token.info.startswith('{'):
        return None
    name, _, argument = token.info[1:].partition('}')
    start, end = token.map
    return Directive(name, argument.strip(), token.content, line + start, line + end - 1, parents)


def directives(text, line=1, parents=()):
    """Yields every Directive of text in order, those inside others too.

    Args:
        text: MyST Markdown.
        line: number of its first line.
        parents: names of the blocks it stands in.
    """
    opened = []
    for token in parser(inline=False).parse(text):
        if token.nesting:
            opened.append(token.tag) if token.nesting > 0 else opened.pop()
        found = as_directive(token, line, (*parents, *opened))
        if found is None:
            continue
        yield found
        if found.name not in LITERAL:
            yield from directives(token.content, found.line + 1, (*found.parents, found.name))


def titled(text):
    """(title, target) of `title <target>`, the title None where there is only a target."""
    found = TITLED.fullmatch(text)
    return found.groups() if found else (None, text)


def is_synced(directive):
    return (directive.name == 'tab-set'
            and directive.options.get('sync-group') == SYNC_GROUP)


def tab_items(directive):
    """The tab items directly in a tab set."""
    inner = directives(directive.content, directive.line + 1)
    return [item for item in inner if item.name == 'tab-item' and not item.parents]
