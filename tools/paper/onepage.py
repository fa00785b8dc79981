"""Puts the pages of an offline copy together to the one page that is printed."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

XHTML, MATHML = '{http://www.w3.org/1999/xhtml}', '{http://www.w3.org/1998/Math/MathML}'
HEADINGS = ('h1', 'h2')
STYLE = Path(__file__).parent


@dataclass(frozen=True)
class Entry:
    """A line of the contents."""
    level: int
    number: str
    title: str
    target: str


def assemble(folder, title, subtitle, notes):
    """One HTML page of the pages that Sphinx wrote, with a title page and contents.

    Args:
        folder: of the pages.
        title, subtitle: on the first page.
        notes: lines at its foot.
    Returns:
        The page's text and its contents.
    """
    bodies = {'index': _body(folder, 'index')}
    for link in bodies['index'].iterfind('.//div[@class="toctree-wrapper compound"]//a'):
        name = link.get('href').partition('.xhtml')[0]
        if name not in bodies:
            bodies[name] = _body(folder, name)
    chapters = {name: _chapter(body, name) for name, body in bodies.items()}
    back = _back_matter(chapters['index'])
    parts = [*chapters.values(), *back]
    contents = [entry for part in parts for entry in _entries(part)]
    page = _page(f'{title}: {subtitle}', _running_heads(parts))
    body = page.find('body')
    body.append(_title_page(title, subtitle, notes))
    body.append(_contents(contents))
    body.extend(parts)
    return '<!DOCTYPE html>\n' + ElementTree.tostring(page, 'unicode', method='html'), contents


def _body(folder, name):
    """What stands in a page, as HTML without name spaces."""
    root = ElementTree.parse(folder / f'{name}.xhtml').getroot()
    body = root.find(f'.//{XHTML}div[@class="body"]')
    for parent in body.iter():
        for child in parent:
            if child.tag == f'{MATHML}math':
                _as_tex(child)
        parent.tag = parent.tag.replace(XHTML, '')
    for block in body.iter('pre'):
        _as_lines(block)
    return body


def _as_tex(math):
    """A formula for MathJax, whose MathML latex2mathml made from the same TeX."""
    tex, block = math.get('alttext'), math.get('display') == 'block'
    style = r'\displaystyle ' if math.get('displaystyle') else ''
    tail = math.tail
    math.clear()
    math.tag, math.tail = 'span', tail
    math.attrib |= {'class': 'formula', 'data-tex': tex}
    math.text = rf'\[{tex}\]' if block else rf'\({style}{tex}\)'


def _as_lines(block):
    """Gives each line of code or output an element, so that what wraps can be told apart."""
    line = _element('span', '', class_='line')
    lines, parts = [line], [(block.text, None)]
    for child in list(block):
        block.remove(child)
        parts += [(None, child), (child.tail, None)]
        child.tail = None
    for text, child in parts:
        if child is not None:
            line.append(child)
        for number, piece in enumerate((text or '').split('\n')):
            if number:
                line = _element('span', '', class_='line')
                lines.append(line)
            if len(line):
                line[-1].tail = (line[-1].tail or '') + piece
            else:
                line.text += piece
    block.text = ''
    if not ''.join(lines[-1].itertext()):
        lines.pop()
    block.extend(lines)


def _chapter(body, name):
    """The chapter with ids that are unique in the book."""
    for element in body.iter():
        if element.get('id'):
            element.set('id', f'{name}--{element.get("id")}')
        href = element.get('href', '')
        page, _, target = href.partition('#')
        if href and (not page or page.endswith('.xhtml')):
            page = page.removesuffix('.xhtml') or name
            element.set('href', f'#{page}--{target}' if target else f'#{page}')
    chapter = ElementTree.Element('section', {'class': 'chapter', 'id': name})
    chapter.extend(body)
    return chapter


def _back_matter(index):
    """Takes from the first page what stands behind its list of the chapters."""
    outer = index.find('./section')
    inner = list(outer)
    listed = next((place for place, part in enumerate(inner)
                   if part.find('.//div[@class="toctree-wrapper compound"]') is not None), None)
    taken = []
    for part in inner[listed + 1:] if listed is not None else ():
        outer.remove(part)
        part.set('class', 'chapter')
        for heading in part.findall('./h2'):
            heading.tag = 'h1'
        taken.append(part)
    for parent in list(outer.iter()):
        for child in parent.findall('./div[@class="toctree-wrapper compound"]'):
            parent.remove(child)
    return taken


def _entries(part):
    for section in part.iter('section'):
        heading = next((child for child in section if child.tag in HEADINGS), None)
        if heading is not None:
            number = heading.find('./span[@class="section-number"]')
            text = ' '.join(''.join(heading.itertext()).split())
            numbered = '' if number is None else number.text.strip()
            yield Entry(HEADINGS.index(heading.tag) + 1, numbered,
                        text.removeprefix(numbered).strip(), section.get('id'))


def _element(tag, text='', /, *children, **attributes):
    element = ElementTree.Element(tag, {name.rstrip('_'): value
                                        for name, value in attributes.items()})
    element.text = text
    element.extend(children)
    return element


def _running_heads(parts):
    """A style that puts the heading of each chapter on top of its pages."""
    rules = []
    for number, part in enumerate(parts):
        heading = next(part.iter('h1'))
        text = ' '.join(''.join(heading.itertext()).split())
        text = text.replace('\\', r'\\').replace('"', r'\"')
        part.set('style', f'page: part-{number}')
        rules.append(f'@page part-{number} {{ @top-left {{ content: "{text}"; '
                     'font: 9pt sans-serif; color: #555; } }')
    return '\n'.join(rules)


def _page(title, heads):
    styles = [_element('style', text) for text in (
        *((STYLE / name).read_text('utf-8') for name in ('book.css', 'print.css')), heads)]
    pygments = _element('link', '', rel='stylesheet', href='_static/pygments.css')
    return _element('html', '', _element('head', '', _element('meta', charset='utf-8'),
                                         _element('title', title), pygments, *styles),
                    _element('body', class_='paper'), lang='en')


def _title_page(title, subtitle, notes):
    lines = [_element('p', note, class_='note') for note in notes]
    return _element('header', '', _element('p', title, class_='title'),
                    _element('p', subtitle, class_='subtitle'), *lines, class_='title-page')


def _contents(contents):
    lines = [_element('li', '', _element('a', '', _element('span', entry.number, class_='number'),
                                         _element('span', entry.title, class_='name'),
                                         _element('span', '', class_='page'),
                                         href=f'#{entry.target}'),
                      class_=f'level-{entry.level}') for entry in contents]
    return _element('nav', '', _element('h1', 'Contents'), _element('ol', '', *lines),
                    class_='contents', id='contents')
