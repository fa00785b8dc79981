"""What stands on lines of its own: directives, equations, targets, headings, tables."""
import re
import textwrap

from tools import prose
from tools.chapter import toctree_entry
from tools.plain import Fault
from tools.plain.inline import Inline

DROPPED = ('myst_target', 'myst_line_comment', 'myst_block_break')
MATH = ('math_block', 'math_block_label')
REFUSED = {'amsmath': 'use $$', 'dl_open': 'use a list', 'footnote_reference_open': 'write it out'}
NOTES = ('admonition', 'note', 'tip', 'hint', 'important', 'warning')
MARKERS = re.compile(r'[^\s>]')


class Blocks:
    """Makes plain Markdown of a chapter's, for one framework.

    Args:
        inline: an `Inline`.
        tab: of the framework.
    """

    def __init__(self, inline: Inline, tab):
        self.inline, self.references, self.tab = inline, inline.references, tab
        self.forms = {
            'tab-set': self.tab_set, 'figure': self.figure, 'cell-figure': self.cell_figure,
            'list-table': self.list_table, 'math': self.math, 'code-block': self.listing,
            'toctree': self.contents, 'bibliography': lambda _: self.references.listed(),
            'solution-start': lambda block: f'**{block.argument}**',
            'solution-end': lambda _: '', **dict.fromkeys(NOTES, self.note)}

    def plain(self, text, heading=None):
        """The whole text.

        Args:
            text: MyST Markdown.
            heading: how many headings of the chapter come before it; None gives none a number.

        Returns:
            The text, and how many headings it has.
        Raises:
            Fault: something in it has no plain form.
        """
        lines, edits, rows, headings = text.split('\n'), [], {}, 0
        tokens = prose.parser(inline=False).parse(text)
        for before, token in zip([None, *tokens], tokens):
            if token.type in REFUSED:
                raise Fault(token.map[0], f'{token.type.removesuffix("_open")} has no form in a '
                                          f'plain notebook; {REFUSED[token.type]}')
            if token.type == 'inline' and before.type in ('th_open', 'td_open'):
                rows.setdefault(token.map[0], []).append(token.content)
            elif token.type == 'inline':
                number = ''
                if before.type == 'heading_open' and before.level == 0 and heading is not None:
                    number = self.references.number(heading + headings)
                    headings += 1
                edits.append((*token.map, self.paragraph(token, lines, number)))
            else:
                new = self.block(token)
                if new is not None:
                    edits.append((*token.map, _placed(new, token, lines)))
        edits += [(at, at + 1, [self.row(lines[at], cells, at)]) for at, cells in rows.items()]
        for start, end, new in sorted(edits, reverse=True):
            lines[start:end] = new
        return '\n'.join(lines).strip('\n'), headings

    def part(self, text, line):
        """A text inside of a block that starts in a line."""
        try:
            return self.plain(text)[0]
        except Fault as fault:
            raise fault.below(line) from None

    def block(self, token):
        """What stands in place of a token, None for the token itself."""
        if token.type in DROPPED:
            return ''
        if token.type == 'substitution_block':
            return self.inline.substitution(token.content, token.map[0])
        if token.type in MATH:
            return self.equation(token.content, token.info, token.map[0])
        block = prose.as_directive(token, 0, ())
        if block is None:
            return None
        if block.name not in self.forms:
            raise Fault(block.line, f'the block {{{block.name}}} has no form in a plain notebook; '
                                    f'those that have one: {", ".join(sorted(self.forms))}')
        return self.forms[block.name](block)

    def paragraph(self, token, lines, number):
        """The new lines of a paragraph or a heading."""
        start, end = token.map
        old = token.content.split('\n')
        try:
            new = self.inline.plain(token.content)
        except Fault as fault:
            raise fault.below(start) from None
        new = f'{number}. {new}'.split('\n') if number else new.split('\n')
        places = [line.rfind(part.rstrip()) for line, part in zip(lines[start:end], old)]
        before = [line[:at] for line, at in zip(lines[start:end], places)]
        after = [line[at + len(part.rstrip()):] for line, at, part
                 in zip(lines[start:end], places, old)]
        rest = lines[start + len(old):end]  # what underlines a heading
        if len(new) != len(old):  # what was wrapped over lines is now on one
            return [head + line for head, line in zip(before, new)] + rest
        return [head + line.rstrip() + tail for head, line, tail in zip(before, new, after)] + rest

    def row(self, line, cells, at):
        """The new line of a table's row."""
        place = 0
        for cell in cells:
            old = cell if cell in line[place:] else cell.replace('|', r'\|')
            try:
                new = self.inline.plain(cell, in_table=True)
            except Fault as fault:
                raise fault.below(at) from None
            place = line.index(old, place)
            line = line[:place] + new + line[place + len(old):]
            place += len(new)
        return line

    def tab_set(self, block):
        if not prose.is_synced(block):
            raise Fault(block.line, 'a tab set that is not that of the frameworks has no form in '
                                    'a plain notebook')
        chosen = [item for item in prose.tab_items(block) if item.options.get('sync') == self.tab]
        return self.part(chosen[0].body, chosen[0].body_line) if chosen else ''

    def figure(self, block):
        picture = self.inline.pictures(block.argument, block.options.get('alt') or '')
        return f'{picture}\n\n{self.cell_figure(block)}'

    def cell_figure(self, block):
        return self.captioned(block, self.part(block.body.strip(), block.body_line))

    def captioned(self, block, caption):
        shown = self.references.target(block.options.get('name'))
        if not shown:
            raise Fault(block.line, f'a {block.name} without a name has no number; give it a '
                                    ':name:')
        return f'**{shown}.** {caption}'

    def list_table(self, block):
        rows = self.rows(block)
        if int(block.options.get('stub-columns') or 0):
            rows = [[f'**{row[0]}**' if row[0] else '', *row[1:]] for row in rows]
        if not int(block.options.get('header-rows') or 0):
            rows.insert(0, [''] * len(rows[0]))
        rows.insert(1, ['---'] * len(rows[0]))
        table = '\n'.join(f'| {" | ".join(row)} |' for row in rows)
        title = self.part(block.argument, block.line)
        return f'{self.captioned(block, title)}\n\n{table}'

    def rows(self, block):
        """The cells of a list-table as plain Markdown."""
        rows, depth = [], 0
        for token in prose.parser(inline=False).parse(block.body):
            depth += token.nesting if token.type.startswith('list_item_') else 0
            if token.type == 'list_item_open':
                rows.append([]) if depth == 1 else rows[-1].append('')
            elif token.type == 'inline':
                text = self.inline.plain(' '.join(token.content.split()), in_table=True)
                rows[-1][-1] = f'{rows[-1][-1]} {text}'.strip()
            elif not token.type.startswith(('list_item_', 'bullet_list_', 'paragraph_')):
                raise Fault(block.body_line + token.map[0],
                            f'{token.type} in a list-table has no form in a plain notebook')
        return rows

    def math(self, block):
        return self.equation(block.body, block.options.get('label'), block.line)

    def equation(self, content, label, line):
        lines = textwrap.dedent(content).split('\n')
        content = '\n'.join(line.rstrip() for line in lines if line.strip())
        if r'\\' in content and r'\begin{' not in content:
            content = f'\\begin{{aligned}}\n{content}\n\\end{{aligned}}'  # as Sphinx does
        number = self.references.tag(label) if label else ''
        if label and not number:
            raise Fault(line, f'the equation {label} has no number')
        return '\n'.join(['$$', content, *([f'\\tag{{{number}}}'] if number else []), '$$'])

    @staticmethod
    def listing(block):
        fence = max(re.findall('`{3,}', block.body), default='``') + '`'
        return f'{fence}{block.argument}\n{block.body}\n{fence}'

    def contents(self, block):
        return self.references.contents(map(toctree_entry, block.body.splitlines()))

    def note(self, block):
        title = block.argument or block.name.capitalize()
        text = self.part(block.body, block.body_line)
        return '\n'.join(f'> {line}'.rstrip() for line in
                         [f'**{title}**', '', *text.split('\n')])


def _placed(text, token, lines):
    """Lines of a text in place of a token, with the marks of lists and block quotes around it."""
    start, end = token.map
    mark = token.markup or lines[start].lstrip(' >')
    head = lines[start][:max(lines[start].find(mark), 0)]
    inside = MARKERS.sub(' ', head)
    new = [(head if number == 0 else inside) + line for number, line in enumerate(text.split('\n'))]
    if text and head == inside and token.type not in MATH:
        near = [lines[at].strip(' >') if 0 <= at < len(lines) else '' for at in (start - 1, end)]
        new = [*([inside] if near[0] else []), *new, *([inside] if near[1] else [])]
    return [line.rstrip() for line in new]
