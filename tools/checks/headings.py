"""A file has one title, levels of headings without gaps, and no heading inside of a block."""


def find(book):
    for source in book.sources:
        titles = [block for block in source.text.headings if block.level == 1]
        if not titles:
            yield source.finding(1, 'no title; begin the text with a line `# Title`')
        for other in titles[1:]:
            yield source.finding(other.line, f'a second title (the first is in line '
                                 f'{titles[0].line}); make it a section, `## {other.raw}`')
        level = 0
        for block in source.text.headings:
            if block.around:
                yield source.finding(block.line, f'the heading {block.raw!r} inside of '
                                     f'{{{block.around[-1].name}}} would not be numbered; move it '
                                     'out or make it a bold line')
                continue
            if block.level > level + 1:
                yield source.finding(block.line, f'a heading of level {block.level} after one of '
                                     f'level {level}; use level {level + 1}')
            level = block.level
