"""Finds what of the book's own Markdown is left in a notebook's, outside of code."""
import re

from tools import prose
from tools.plain import Fault

BLOCKS = ('myst_target', 'myst_line_comment', 'myst_block_break', 'math_block_label',
          'substitution_block', 'colon_fence', 'amsmath', 'dl_open', 'footnote_reference_open',
          'front_matter')
ROLE = re.compile(r'\{[a-z][\w:+-]*\}|\{\{|:::|^\([\w-]+\)=\s*$', re.MULTILINE)
ATTRIBUTES = {'id', 'class'}
OUTSIDE = re.compile(r'https?://|mailto:|data:|[\w-]+\.ipynb$')


def check(text):
    """Raises `Fault` for what a notebook's editor would show as it is."""
    for token in prose.parser().parse(text):
        line = token.map[0] if token.map else 0
        if token.type in BLOCKS or prose.as_directive(token, 0, ()) or (
                ATTRIBUTES & set(token.attrs)):
            raise Fault(line, f'{token.type} is left: {text.splitlines()[line]!r}')
        children = token.children or ()
        for child, after in zip(children, [*children[1:], None]):
            _check_inline(child, after, line)


def _check_inline(token, after, line):
    if token.type.startswith(('myst_role', 'substitution', 'footnote')):
        raise Fault(line, f'{token.type} is left: {token.content!r}')
    if token.type == 'text' and ROLE.search(token.content):
        raise Fault(line, f'what looks like a role or a block is left: {token.content!r}; put '
                          'backticks around what is code')
    if token.type == 'link_open':
        if not OUTSIDE.match(token.attrs['href']):
            raise Fault(line, f'the link to {token.attrs["href"]!r} leads nowhere in a notebook; '
                              'link to a chapter, or write the whole address')
        if after.type == 'link_close':
            raise Fault(line, f'the link to {token.attrs["href"]!r} has no text')
    if token.type == 'image' and not token.attrs['src'].startswith('data:'):
        raise Fault(line, f'the picture {token.attrs["src"]} is not inside the notebook')
