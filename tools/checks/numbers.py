"""A quantity in the text stands in a cell of its section or before it, or beside a citation.

Tasks of exercises, years, releases and references to chapters are no quantities. What it does not
see: numbers in words ("three times") and compounds ("64-bit"), 0, 1 and 2, numbers in formulas,
code spans, headings and alternative texts, and whether the cell that has a number checks what the
text says of it. A number that only an output has counts as missing: outputs differ from machine to
machine, and nothing asserts them.
"""
import ast
import re

from tools.checks.language import ENDS
from tools.checks.names import NAMES
from tools.checks.texts import CITED

NUMBER = re.compile(r'(?<![\w.,/\ue000-\ue003-])\d+(?:,\d{3})*(?:\.\d+)?'
                    r'(?![\w\ue000]|\.\d|-[A-Za-z])')
IN_CODE = re.compile(r'(?<![\w.])\d+(?:,\d{3})*(?:\.\d+)?')
# What a number is part of a name, a release, a place or a date after.
NAMED = re.compile(rf'(?:{"|".join(NAMES)}|[Rr]eleases?|[Vv]ersions?|[Cc]hapters?|[Ss]ections?|'
                   r'[Ff]igures?|[Ee]quations?|[Ee]xercises?|[Tt]ables?)\s+'
                   r'(?:[\d.]+(?:,| and| to| or)\s+)*\Z')
YEAR = re.compile(r'(?:18|19|20)\d\d')
SMALL = {0.0, 1.0, 2.0}  # of definitions and counting, hardly ever a measurement


def find(book):
    for source in book.chapters:
        values = {}
        for block in source.text.blocks if not source.faults else ():
            if block.kind in ('paragraph', 'cell') and not _is_task(source, block):
                for offset, number in _quantities(block):
                    last = _last(source, block.line)
                    if last not in values:
                        values[last] = _values(source, last)
                    if not _known(number, values[last]):
                        yield source.finding(block.line_of(offset), f'{number} stands in no code '
                                             'cell of its section or before; assert or print it '
                                             'beside the text, cite its source, or say it without '
                                             'the number')


def _is_task(source, block):
    return block.item is not None and source.text.section(block.line)[0] == next(
        (heading.line for heading in source.text.headings if heading.raw == 'Exercises'), None
    ) and not source.text.in_solution(block.line)


def _quantities(block):
    start = 0
    for sentence in ENDS.split(block.words):
        start = block.words.index(sentence, start)
        for match in NUMBER.finditer(sentence):
            before = sentence[:match.start()]
            if not (CITED in sentence or NAMED.search(before) or YEAR.fullmatch(match[0])
                    or float(match[0].replace(',', '')) in SMALL):
                percent = '%' if re.match(r'\s?(?:%|percent)', sentence[match.end():]) else ''
                yield start + match.start(), match[0] + percent


def _last(source, line):
    """The last line whose cells can have a number of this line: the whole chapter's for a goal."""
    first, last = source.text.section(line)
    heading = next((block for block in source.text.headings if block.line == first), None)
    return float('inf') if heading is None or heading.level == 1 else last


def _values(source, last):
    found = set()
    for cell in source.cells:
        if cell.line <= last:
            try:
                tree = ast.parse(cell.source)
            except SyntaxError:
                continue  # IPython's own syntax
            for node in ast.walk(tree):
                if isinstance(node, ast.Constant):
                    if isinstance(node.value, (int, float)):
                        found.add(float(node.value))
                    elif isinstance(node.value, str):
                        found.update(float(number.replace(',', ''))
                                     for number in IN_CODE.findall(node.value))
    return found


def _known(number, values):
    value = float(number.rstrip('%').replace(',', ''))
    return value in values or number.endswith('%') and (
        round(value / 100, 6) in values or round(1 - value / 100, 6) in values
        or round(1 + value / 100, 6) in values)
