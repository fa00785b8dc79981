"""Formulas as MathML, checked, because latex2mathml writes down what it does not understand."""
import html
import re
from xml.etree import ElementTree

from latex2mathml.converter import convert_to_element

COMMAND = re.compile(r'\\[A-Za-z]+')
# its name for an alignment, and braces without which ^ after a matrix falls on its bracket
ALIGNED = re.compile(r'\\(begin|end)\{aligned\}')
MATRIX = re.compile(r'\\begin\{([a-zA-Z]*matrix)\}.*?\\end\{\1\}', re.DOTALL)
TOKENS = re.compile(r'\\[A-Za-z]+|\\.|.', re.DOTALL)
DEPTH = {'{': 1, '}': -1, r'\begin': 1, r'\end': -1, r'\left': 1, r'\right': -1}
SPACES = (r'\quad', r'\qquad')
CHILDREN = {'mfrac': 2, 'mover': 2, 'mroot': 2, 'msub': 2, 'msubsup': 3, 'msup': 2, 'munder': 2,
            'munderover': 3}
# what stands below and above such signs in a line of its own
LIMITS, SIGNS = {'msub': 'munder', 'msup': 'mover', 'msubsup': 'munderover'}, set('∑∏')


class MathError(ValueError):
    """A formula that cannot be written as MathML."""


def inline(tex):
    """A formula within a line; raises as `convert`."""
    return convert(tex, False)


def line(tex):
    """A formula with a line of its own, which may wrap at its wide spaces as no MathML does.

    Raises:
        MathError: as `convert`.
    """
    parts, depth = [''], 0
    for token in TOKENS.findall(tex):
        depth += DEPTH.get(token, 0)
        if token in SPACES and not depth:
            parts.append('')
        else:
            parts[-1] += token
    if len(parts) == 1:
        return convert(tex, True)
    return ' '.join(convert(part.strip(), False, displaystyle='true') for part in parts)


def convert(tex, display, **attributes):
    """A formula as MathML; its TeX is kept as the text that stands for it.

    Args:
        tex: without dollar signs.
        display: whether it has a line of its own.
        attributes: further ones of its element.
    Raises:
        MathError: it holds what the converter does not know.
    """
    known = MATRIX.sub(r'{\g<0>}', ALIGNED.sub(r'\\\1{split}', tex))
    try:
        root = convert_to_element(known, display='block' if display else 'inline')
    except Exception as error:  # its errors have no class of their own but this
        raise MathError(f'{type(error).__name__} {error}'.strip()) from error
    for element in root.iter():
        element.text = html.unescape(element.text or '')
        unknown = COMMAND.search(element.text)
        if unknown or element.text.strip() == '&':
            raise MathError(f'{unknown[0] if unknown else "&"} is unknown')
        wanted = CHILDREN.get(element.tag, len(element))
        if len(element) != wanted:
            raise MathError(f'{element.tag} with {len(element)} parts in place of {wanted}')
    for element in list(root.iter()):
        if element.tag in LIMITS and element[0].tag == 'mo' and element[0].text in SIGNS:
            element.tag = LIMITS[element.tag]
    root.attrib |= {'alttext': ' '.join(tex.split()), **attributes}
    return ElementTree.tostring(root, encoding='unicode')
