"""A chapter has its label, goal, prerequisites and summary, and each exercise one solution."""
import re

SOLVED = re.compile(r'\d+')
PARTS = ('**Goal.**', '**Prerequisites.**')
SECTIONS = ('Summary', 'Exercises')


def find(book):
    for source in book.chapters:
        if source.name != 'index':
            yield from _parts(source)
            yield from _exercises(source)


def _parts(source):
    text = source.text
    if f'sec-{source.name}' not in {label.name for label in text.labels}:
        yield source.finding(1, f'no label of the chapter; write (sec-{source.name})= above its '
                             'title')
    for part in PARTS:
        if not any(block.raw.startswith(part) for block in text.blocks):
            yield source.finding(1, f'no paragraph that begins with {part}; write one below the '
                                 'title')
    for title in SECTIONS:
        if not any(block.level == 2 and block.raw == title for block in text.headings):
            yield source.finding(1, f'no section `## {title}`; add it at the end')


def _exercises(source):
    start = next((block.line for block in source.text.headings
                  if block.level == 2 and block.raw == 'Exercises'), None)
    if start is None:
        return
    asked, solved = {}, {}
    for number, line in dict.fromkeys(block.item for block in source.text.blocks
                                      if block.item and block.line > start
                                      and not source.text.in_solution(block.line)):
        if number in asked:
            yield source.finding(line, f'a second exercise {number} (the first is in line '
                                 f'{asked[number]}); number it anew')
        asked.setdefault(number, line)
    for directive, _ in source.text.directives:
        if directive.name == 'solution-start':
            for number in map(int, SOLVED.findall(directive.argument)):
                if number in solved:
                    yield source.finding(directive.line, f'a second solution of exercise {number} '
                                         f'(the first is in line {solved[number]}); join the two')
                solved.setdefault(number, directive.line)
    if not asked:
        yield source.finding(start, 'no exercise; write a numbered list')
    for number in asked.keys() - solved.keys():
        yield source.finding(asked[number], f'exercise {number} has no solution; add one between '
                             f'`{{solution-start}} Solution of {number}` and `{{solution-end}}`')
    for number in solved.keys() - asked.keys():
        yield source.finding(solved[number], f'a solution of exercise {number}, which is not '
                             'there; correct the number')
