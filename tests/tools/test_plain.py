"""Plain Markdown from the book's own, each role and block, and the check that nothing is left."""
import pytest

from tools.plain import Fault, leftover
from tools.plain.blocks import Blocks
from tools.plain.inline import Inline
from tools.plain.references import References

FOUND = {
    'documents': {'here': {'title': 'Here', 'number': '3',
                           'sections': [['3', 'Here'], ['3.1', 'One'], ['', 'Last']]},
                  'there': {'title': 'Over there', 'number': '2', 'sections': []},
                  'absent': {'title': 'Absent', 'number': '', 'sections': []}},
    'labels': {
        'sec-here': {'document': 'here', 'kind': 'section', 'number': '3.1', 'title': 'One',
                     'shown': 'Section 3.1'},
        'sec-there': {'document': 'there', 'kind': 'section', 'number': '2.4',
                      'title': 'A *star*', 'shown': 'Section 2.4'},
        'sec-absent': {'document': 'absent', 'kind': 'section', 'number': '', 'title': 'No',
                       'shown': ''},
        'fig': {'document': 'here', 'kind': 'figure', 'number': '3.2', 'title': 'A cell',
                'shown': 'Figure 3.2'},
        'tab': {'document': 'here', 'kind': 'table', 'number': '3.1', 'title': 'A table',
                'shown': 'Table 3.1'},
        'eq': {'document': 'here', 'kind': 'equation', 'number': '3.7', 'title': '',
               'shown': '(3.7)'}},
    'sources': {
        'b': {'label': 'Bee90', 'document': 'there', 'named': 'Bee *et al.* ',
              'address': 'https://doi.org/10.1/b', 'text': 'Ann Bee.\nA title. 1990.'},
        'c': {'label': 'Cee91', 'document': 'there', 'named': 'Cee ', 'address': '',
              'text': 'Carl Cee. 1991.'}}}


def inline():
    return Inline(References(FOUND, 'here', ['here', 'there']),
                  lambda path, alt: f'<img src="data:image/png;base64,{path}" alt="{alt}">',
                  {'corpus': r'A \<text\>'})


def plain(text, tab='jax', heading=None):
    found, _ = Blocks(inline(), tab).plain(text, heading)
    leftover.check(found)
    return found


ROLES = {
    '{ref}`sec-there`': r'[A \*star\*](there.ipynb)',
    '{ref}`sec-here`': 'One',
    '{ref}`in words <sec-there>`': '[in words](there.ipynb)',
    '{ref}`sec-absent`': 'No',
    '{ref}`not-in-this-build`': r'not-in-this-build',
    '{numref}`fig`': 'Figure 3.2',
    '{numref}`sec-there`': '[Section 2.4](there.ipynb)',
    '{numref}`picture %s <fig>`': 'picture 3.2',
    '{numref}`{number}, {name} <fig>`': '3.2, A cell',
    '{eq}`eq`': '(3.7)',
    '{cite}`b`': '[[Bee90](https://doi.org/10.1/b)]',
    '{cite}`c,b`': '[[Bee90](https://doi.org/10.1/b), Cee91]',
    '{cite:p}`c`': '[Cee91]',
    '{cite:t}`b`': 'Bee *et al.* [[Bee90](https://doi.org/10.1/b)]',
    '{math}`a|b`': '$a|b$',
    '{doc}`there`': '[Over there](there.ipynb)',
    '[link](there.md)': '[link](there.ipynb)',
    '[**{ref}`sec-here`**](there.md#a)': '[**One**](there.ipynb)',
    '![*a* b](img/a.svg)': '<img src="data:image/png;base64,img/a.svg" alt="*a* b">',
    '$a\nb$': '$a b$',
    'on {{ corpus }}': r'on A \<text\>'}


AROUND = ['{}', 'See {}, and *so* on.', '1. {}']
IN_A_LINE = ['- a\n\n  - see {}\n- b', '> see {}\n> more', '# A heading, {}']


@pytest.mark.parametrize('text, around', [
    (text, around) for text in ROLES
    for around in (AROUND if '\n' in text else [*AROUND, *IN_A_LINE])])
def test_roles(text, around):
    assert plain(around.replace('{}', text)) == around.replace('{}', ROLES[text])


@pytest.mark.parametrize('text', [text for text in ROLES if '\n' not in text and '|' not in text])
def test_roles_in_a_table(text):
    table = '| a | b |\n| --- | --- |\n| x | see {} |'
    assert plain(table.replace('{}', text)) == table.replace('{}', ROLES[text])


def test_bars_in_a_table():
    table = '| `a\\|b` | $\\|x\\|$ |\n| --- | --- |\n| {ref}`sec-here` | `{ref}` |'
    assert plain(table).split('\n')[0] == r'| `a\|b` | $\vert x\vert $ |'
    assert plain(table).split('\n')[2] == '| One | `{ref}` |'


def test_role_that_is_wrapped_over_lines():
    assert plain('> a {ref}`in\n> words <sec-there>` b\n> c') == (
        '> a [in words](there.ipynb) b\n> c')
    assert plain('- a {cite}`b,\n  c`\n  d') == (
        '- a [[Bee90](https://doi.org/10.1/b), Cee91]\n  d')


CODE = ['`` {ref}`a` ``', '`(sec-x)=`', '```python\n{ref}`a`\n(sec-x)=\n:::{note}\n$$\n```',
        '    {ref}`indented`', '- a\n\n  ```md\n  {{ corpus }}\n  ```', '> ~~~\n> (a)=\n> ~~~',
        '`` a\n{ref}`b` ``']


@pytest.mark.parametrize('text', CODE)
def test_code_is_untouched(text):
    assert plain(text) == text
    assert plain(f'{text}\n\n{{eq}}`eq`') == f'{text}\n\n(3.7)'


BLOCKS = {
    '(sec-here)=\n# Title': '# Title',
    'a\n\n% a comment\n\nb': 'a\n\n\n\nb',
    '$$\na\n$$ (eq)': '$$\na\n\\tag{3.7}\n$$',
    '- in a list\n\n  $$\n  a\n  $$ (eq)\n- b': '- in a list\n\n  $$\n  a\n  \\tag{3.7}\n  $$\n- b',
    '> $$ a $$ (eq)': '> $$\n> a\n> \\tag{3.7}\n> $$',
    '> $$\n> a\n>   b\n> $$ (eq)': '> $$\n> a\n>   b\n> \\tag{3.7}\n> $$',
    '$$\na \\\\\n\nb\n$$': '$$\n\\begin{aligned}\na \\\\\nb\n\\end{aligned}\n$$',
    '```{math}\n:label: eq\n\na\n```': '$$\na\n\\tag{3.7}\n$$',
    '```{figure} img/a.svg\n:name: fig\n:alt: words\n\nIt is {numref}`fig`.\n```':
        '<img src="data:image/png;base64,img/a.svg" alt="words">\n\n'
        '**Figure 3.2.** It is Figure 3.2.',
    '1. a\n\n   ```{figure} img/a.svg\n   :name: fig\n\n   {eq}`eq`\n   ```\n\n2. b':
        '1. a\n\n   <img src="data:image/png;base64,img/a.svg" alt="">\n\n'
        '   **Figure 3.2.** (3.7)\n\n2. b',
    'text\n:::{cell-figure}\n:name: fig\n\nA *curve*\nof $x$.\n:::\nmore':
        'text\n\n**Figure 3.2.** A *curve*\nof $x$.\n\nmore',
    '::::{tab-set}\n:sync-group: fw\n\n:::{tab-item} A\n:sync: jax\nJ {eq}`eq`\n:::\n'
    ':::{tab-item} B\n:sync: mxnet\nM\n:::\n::::': 'J (3.7)',
    '- a\n\n  ```{code-block} python\n  {ref}`a`\n  ```': '- a\n\n  ```python\n  {ref}`a`\n  ```',
    '```{solution-start} Solution of 1\n```\n\na\n\n```{solution-end}\n```':
        '**Solution of 1**\n\na',
    '> ```{note}\n> {eq}`eq`\n> ```': '> > **Note**\n> >\n> > (3.7)',
    '```{list-table} What *it* is\n:name: tab\n:header-rows: 1\n:stub-columns: 1\n\n* - a\n  - b\n'
    '* - {ref}`c <sec-there>`\n  - `d|e`\n```':
        '**Table 3.1.** What *it* is\n\n| **a** | b |\n| --- | --- |\n'
        '| **[c](there.ipynb)** | `d\\|e` |',
    '```{toctree}\n:numbered:\n\nThe title <there>\nabsent\ngone\n```':
        '- [2. Over there](there.ipynb)\n- Absent',
    '{{ corpus }}': r'A \<text\>'}


@pytest.mark.parametrize('text', BLOCKS)
def test_blocks(text):
    assert plain(text) == BLOCKS[text]


def test_a_framework_without_a_tab_gets_nothing():
    text = '::::{tab-set}\n:sync-group: fw\n\n:::{tab-item} A\n:sync: jax\nJ\n:::\n::::'
    assert plain(text, tab='mxnet') == ''


def test_headings_have_the_numbers_of_the_book():
    blocks, text = Blocks(inline(), 'jax'), '# Here\n\n## One\n\n> # quoted\n\nLast\n---'
    assert blocks.plain(text, 0) == (
        '# 3. Here\n\n## 3.1. One\n\n> # quoted\n\nLast\n---', 3)
    assert blocks.plain('## One', 1) == ('## 3.1. One', 1)


def test_sources():
    references = References(FOUND, 'here', [])
    assert references.listed({'b'}) == '- [Bee90] Ann Bee. A title. 1990.'
    assert references.listed() == ''
    assert References(FOUND, 'there', []).listed() == (
        '- [Bee90] Ann Bee. A title. 1990.\n- [Cee91] Carl Cee. 1991.')
    text = inline()
    text.plain('{cite}`c` and `` {cite}`b` ``')
    assert text.cited == {'c'}


@pytest.mark.parametrize('text, line, message', [
    ('a\nb {term}`x`', 1, 'the role {term} has no form'),
    ('a\n\n```{csv-table}\na\n```', 2, 'the block {csv-table} has no form'),
    ('> a\n>\n> ```{note}\n> b\n>\n> {kbd}`x`\n> ```', 5, 'the role {kbd}'),
    ('```{figure} a.svg\n\nb\n```', 0, 'a figure without a name has no number'),
    ('a {{ other }}', 0, 'stands for nothing'),
    ('$$\na\n$$ (eq-other)', 0, 'the equation eq-other has no number'),
    ('\\begin{align}\na\n\\end{align}', 0, 'amsmath has no form in a plain notebook; use $$'),
    ('a\n: b', 0, 'dl has no form in a plain notebook; use a list'),
    ('a[^1]\n\n[^1]: b', 2, 'footnote_reference has no form'),
    (':::{tab-set}\n```{tab-item} A\na\n```\n:::', 0, 'not that of the frameworks')])
def test_no_plain_form(text, line, message):
    with pytest.raises(Fault) as fault:
        plain(text)
    assert fault.value.line == line and message in fault.value.message


@pytest.mark.parametrize('text, message', [
    ('(sec-x)=\na', 'myst_target is left'), ('```{note}\na\n```', 'fence is left'),
    (':::{note}\na\n:::', 'colon_fence is left'), ('a {ref}`b`', 'myst_role is left'),
    ('- a {ref} `b`', "looks like a role or a block is left: 'a {ref} '"),
    ('$$\na\n$$ (eq)', 'math_block_label is left'), ('% a', 'myst_line_comment is left'),
    ('a {{ b }}', 'substitution_inline is left'), ('{#id}\na', 'paragraph_open is left'),
    ('[a](other.md)', "link to 'other.md' leads nowhere"), ('[](a.ipynb)', 'has no text'),
    ('![a](img/a.png)', 'img/a.png is not inside'), ('a :::', 'looks like a role')])
def test_leftover(text, message):
    with pytest.raises(Fault) as fault:
        leftover.check(text)
    assert message in fault.value.message
