"""What stands inside of paragraphs, headings and cells of tables.

markdown-it gives the parts of a paragraph no places, so its rules are asked where they matched.
What no rule of RULES has matched, code first of all, stays as it is.
"""
import functools
import re

from tools import prose
from tools.plain import Fault

RULES = ('myst_role', 'substitution_inline', 'image', 'link', 'math_inline')
MARKS = re.compile(r'[{$]|\]\(')  # without one of these nothing is to be replaced
CHAPTER = re.compile(r'\]\(([\w-]+)\.md(?:#[\w-]*)?\)$')


@functools.cache
def _parser():
    parser = prose.parser.__wrapped__()
    for rule in list(parser.inline.ruler.__rules__):
        if rule.name in RULES:
            parser.inline.ruler.at(rule.name, functools.partial(_noted, rule.fn))
    return parser


def _noted(rule, state, silent):
    start, before = state.pos, len(state.tokens)
    found = rule(state, silent)
    if found and not silent and state.src == state.env['source']:
        # a rule that makes a token first makes one of the text before it
        token = next(token for token in state.tokens[before:] if token.type != 'text')
        state.env['found'].append((start, state.pos, token))
    return found


def parts(text):
    """(start, end, token) of what the rules matched; a link comes after what is in it."""
    environment = {'source': text, 'found': []}
    _parser().parseInline(text, environment)
    return environment['found']


class Inline:
    """Makes plain Markdown of the inside of paragraphs; keeps what they cite.

    Args:
        references: a `References`.
        pictures: a function from path and alternative text to HTML.
        substitutions: name -> Markdown.
    """

    def __init__(self, references, pictures, substitutions):
        self.references, self.pictures = references, pictures
        self.substitutions, self.cited = substitutions, set()

    def plain(self, text, in_table=False):
        """The text with its roles, substitutions, pictures and links replaced.

        Args:
            text: without the marks of lists and block quotes around it.
            in_table: whether it is a cell of a table, where `|` ends it.
        """
        if MARKS.search(text):
            edits = []
            for start, end, token in parts(text):
                edits += self._edits(text, start, end, token, in_table)
            for start, end, new in sorted(edits, reverse=True):
                text = text[:start] + new + text[end:]
        return re.sub(r'(?<!\\)\|', r'\\|', text) if in_table else text

    def _edits(self, text, start, end, token, in_table):
        line = text.count('\n', 0, start)
        if token.type == 'myst_role':
            new, cited = self.references.role(token.meta['name'], token.content)
            if new is None:
                raise Fault(line, f'the role {{{token.meta["name"]}}} has no form in a plain '
                                  'notebook; use another one')
            self.cited |= set(cited)
            return [(start, end, new)]
        if token.type == 'substitution_inline':
            return [(start, end, self.substitution(token.content, line))]
        if token.type == 'image':
            return [(start, end, self.pictures(token.attrs['src'], token.content))]
        if token.type == 'math_inline':
            # a notebook finds math before Markdown: no mark of a list or quote may be in it
            math = ' '.join(token.content.split())
            return [(start, end, '$' + (math.replace('|', r'\vert ') if in_table else math) + '$')]
        chapter = CHAPTER.search(text, start, end) if token.type == 'link_open' else None
        if chapter:
            return [(chapter.start(), end, f']({chapter[1]}.ipynb)')]
        return []

    def substitution(self, name, line):
        if name.strip() not in self.substitutions:
            raise Fault(line, f'{{{{{name}}}}} stands for nothing')
        return self.substitutions[name.strip()]
