"""What `python3 -m tools check` looks for: one module a rule, each with `find(book)`."""
from tools.checks import (cells, commands, headings, labels, language, links, names, numbers, pages,
                          parts, pictures, references, roles, unused, width)

RULES = (cells, headings, parts, labels, links, references, roles, pages, pictures, width, unused,
         numbers, names, language, commands)


def title(rule):
    """What a rule demands, in a sentence."""
    return ' '.join(rule.__doc__.split('\n\n')[0].split())
