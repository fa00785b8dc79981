"""Each rule finds what it is for, in the right line, and leaves alone what only looks like it."""
import pytest
from d2lrnn import BACKENDS

from tests.tools import sample
from tests.tools.small import Small
from tools.checks import (cells, commands, headings, labels, language, links, names, numbers, parts,
                          pictures, references, roles, unused, width)

TITLE = '# Title\n\n'  # what follows starts in line 12
CODE = '```{{code-cell}}\n:tab: all\n\n{}\n```\n'
TABS = '::::{tab-set}\n:sync-group: fw\n\n:::{tab-item} JAX\n:sync: jax\n'
FIGURE = '```{{figure}} img/grid.svg\n:name: fig-x\n{}\n\nA grid.\n```\n\n{}\n'
ALT = ':alt: Two layers over three steps, as arrows'
WHOLE = '''(sec-second)=
# Title

**Goal.** One.

**Prerequisites.** None.

## Summary

Short.

## Exercises

1. First?
   1. A part of it?
2. Second?

```{solution-start} Solution of 1 and 2
```

1. A step.

```{solution-end}
```
'''

WRONG = {
    'unknown ref': (labels, TITLE + 'a\n{ref}`sec-none`', 13, "'sec-none', which no chapter"),
    'unknown titled': (labels, TITLE + '{numref}`Figure %s <fig-none>`', 12, "'fig-none'"),
    'eq by ref': (labels, TITLE + '{ref}`eq-state`', 12, 'of kind equation; use {eq}'),
    'section by eq': (labels, TITLE + '{eq}`sec-first`', 12, 'of kind section; use {numref}'),
    'untitled place': (labels, TITLE + '(here)=\ntext\n\n{ref}`here`', 15, 'above a heading'),
    'label twice': (labels, TITLE + '(sec-first)=\n## A', 12, 'already in chapters/first.md:10'),
    'figure twice': (labels, TITLE + FIGURE.format(ALT, '(fig-x)=\n# B'), 19, 'second.md:12'),
    'label in tab': (labels, TITLE + TABS + '$$\nx\n$$ (eq-tab)\n:::\n::::', 17, 'inside a tab'),
    'unknown doc': (labels, TITLE + '{doc}`third`', 12, "'third', which is no chapter"),
    'no file': (links, TITLE + '[a](third.md)', 12, 'a file that does not exist'),
    'no picture': (links, TITLE + 'a\n![a](img/none.svg)', 13, 'does not exist'),
    'no figure': (links, TITLE + '```{figure} img/none.svg\n```', 12, 'does not exist'),
    'no anchor': (links, TITLE + '[a](first.md#none)', 12, 'an anchor that first.md does not'),
    'no own anchor': (links, TITLE + '[a](#none)', 12, 'an anchor that second.md does not'),
    'http': (links, TITLE + '[a](http://example.org)', 12, 'begin it with https://'),
    'no host': (links, TITLE + '[a](https://example)', 12, 'not well-formed'),
    'no doi': (links, TITLE + '[a](https://doi.org/11.1/x)', 12, 'is no DOI'),
    'unknown role': (roles, TITLE + 'a\n{numreff}`x`', 13, '{numreff} is no role'),
    'unknown directive': (roles, TITLE + ':::{figur} x\n:::', 12, '{figur} is no directive'),
    'space in a role': (roles, TITLE + '{ref} `sec-first`', 12, 'remove the space'),
    'rst role': (roles, TITLE + ':ref:`sec-first`', 12, 'how reStructuredText'),
    'open role': (roles, TITLE + 'a\nb {ref}`sec-first', 13, 'both backticks'),
    'role in code': (roles, TITLE + '`` {ref}`sec-first` ``', 12, 'inside a code span'),
    'label in text': (roles, TITLE + 'a\n\n(sec-x) =\nb', 14, 'a line of its own'),
    'open formula': (roles, TITLE + 'a\nthe size $n of', 13, 'opens no formula'),
    'open display': (roles, TITLE + 'a\n\n$$\nx\n\nb', 14, 'opens no formula'),
    'cell in tab': (cells, TITLE + TABS + CODE.format(1) + ':::\n::::', 17, 'would be dropped'),
    'second fault': (cells, TITLE + '```{code-cell}\n1\n```\n\n```{code-cell}\n2\n```', 16,
                     'without :tab:'),
    'missing tab': (cells, TITLE + sample.cells('1', BACKENDS[:3]), 12, 'without mxnet'),
    'unread options': (cells, TITLE + '```{figure} x\n:name: a: b\n```', 13, 'Invalid options'),
    'two titles': (headings, '# A\n\n# B\n', 12, 'a second title (the first is in line 10)'),
    'gap': (headings, '# A\n\n### B\n', 12, 'use level 2'),
    'heading in tab': (headings, TITLE + TABS + '## B\n:::\n::::', 17, 'not be numbered'),
    'no title': (headings, 'a', 1, 'no title'),
    'no goal': (parts, WHOLE.replace('**Goal.**', 'Goal:'), 1, 'begins with **Goal.**'),
    'no label': (parts, WHOLE.replace('(sec-second)=\n', '(sec-2)=\n'), 1, 'no label'),
    'no summary': (parts, WHOLE.replace('## Summary', '## Sum'), 1, 'no section `## Summary`'),
    'no solution': (parts, WHOLE.replace('1 and 2', '1'), 25, 'exercise 2 has no solution'),
    'no exercise': (parts, WHOLE.replace('1 and 2', '1, 2 and 3'), 27, 'is not there'),
    'same number': (parts, WHOLE.replace('2. Second', '1. Second'), 25, 'a second exercise 1'),
    'no alt': (pictures, TITLE + FIGURE.format('', '{numref}`fig-x`'), 12, "text None"),
    'short alt': (pictures, TITLE + '![A page](img/grid.svg)', 12, "text 'A page'"),
    'not mentioned': (pictures, TITLE + FIGURE.format(ALT, ''), 12, 'no text refers to'),
    'wide': (width, TITLE + CODE.format(f'1\nx = "{"y" * 95}"'), 16, 'of 101 columns'),
    'class': (unused, TITLE + CODE.format('class A:\n    def f(self):\n        return A'), 15,
              'the class A is used by no code of the notebook for PyTorch, TensorFlow'),
    'only set': (unused, TITLE + CODE.format('from d2lrnn import jax as d2l\nclass A: pass\n'
                                             'd2l.A = 3'), 16, 'A'),
    'import': (unused, TITLE + CODE.format('import math\nimport os.path\nmath.e'), 16, 'import os'),
    'in one tab': (unused, TITLE + sample.cells('def f{title}(): pass').replace('fPyTorch', 'g')
                   + CODE.format('fTensorFlow, fJAX, fMXNet'), 15, 'g is used by no code of the '
                   'notebook for PyTorch;'),
    'decimal': (numbers, TITLE + '## A\n\na\nit falls to 2.13 at once', 15, '2.13 stands in no'),
    'percent': (numbers, TITLE + 'It takes 40% less.\n\n' + CODE.format('0.45'), 12, '40% stands'),
    'in a list': (numbers, TITLE + '- It takes\n  57 tensors.', 13, '57 stands'),
    'caption': (numbers, TITLE + CODE.format(1) + '\n```{cell-figure}\n\nOf 3,000.\n```\n', 20,
                '3,000 stands'),
    'later cell': (numbers, TITLE + '## A\n\nAll 33.\n\n## B\n\n' + CODE.format(33), 14, '33'),
    'framework': (names, TITLE + 'a\nwith Pytorch', 13, "'Pytorch'; write 'PyTorch'"),
    'framework in title': (names, TITLE + ':::{note}\nTensor flow\n:::', 13, "'TensorFlow'"),
    'lower case': (names, TITLE + 'in numpy.', 12, "write 'NumPy'"),
    'plural': (names, TITLE + "two gpus and LSTM's", 12, "'gpus'; write 'GPUs'"),
    'term': (names, TITLE + 'back-propagation', 12, "write 'backpropagation'"),
    'british': (language, TITLE + 'a\nthe behaviour', 13, "'behaviour'; write 'behavior'"),
    'second person': (language, TITLE + 'as You see', 12, "'You' is a first or second person"),
    'first person': (language, TITLE + 'a\nas we see', 13, "'we' is a first or second person"),
    'long sentences': (language, TITLE + 'word ' * 40, 1, 'words on average'),
    'not cited': (references, TITLE + 'a\n{cite}`none2000`', 13, 'refs.bib does not have'),
    'no command': (commands, TITLE + '`python3 -m tools bok`', 12, 'no such command'),
    'no option': (commands, TITLE + 'a\n\n    python3 -m tools book --port 1 --prt 2', 14,
                  'no option --prt'),
}

RIGHT = {
    'references': (labels, TITLE + '{eq}`eq-state` {ref}`a <sec-first>` {numref}`Sec. %s '
                   '<sec-first>` {ref}`fig-grid` {doc}`first`'),
    'place with a title': (labels, TITLE + '(here)=\ntext\n\n{ref}`it <here>`'),
    'reference in code': (labels, TITLE + '`{ref}` `` {ref}`x` ``\n\n    {ref}`none`'),
    'links': (links, TITLE + '## A `b`, c!\n\n[a](first.md) [b](first.md#exercises) [c](#a-b-c) '
              '![d](img/grid.svg) [e](https://doi.org/10.1000/x) [f](../README.md) '
              '[g](#sec-second2) <http://localhost:8000>\n\n(sec-second2)=\n## G'),
    'link in code': (links, TITLE + '`[a](none.md)`'),
    'names of roles': (roles, TITLE + 'The role `{ref}`, a set {a, b}, $x$ and \\$5, `$a` `:ref:`.'
                       '\n\n````md\n:ref:`a` {x}`y` $$\n````\n'),
    'display': (roles, TITLE + '$$\nx\n$$ (eq-x)\n\n{eq}`eq-x`: $a$'),
    'cells': (cells, TITLE + sample.cells('1') + 'a\n' + CODE.format(1)),
    'levels': (headings, '# A\n\n## B\n\n### C\n\n## D\n\n```md\n# E\n```\n'),
    'whole': (parts, WHOLE),
    'figure': (pictures, TITLE + FIGURE.format(ALT, '{numref}`fig-x`')),
    'width': (width, TITLE + CODE.format(f'x = "{"y" * 94}"') + '\n' + 'w' * 120),
    'used': (unused, TITLE + CODE.format('import os\nfrom d2lrnn import jax as d2l\nclass A: pass')
             + '\n' + CODE.format('class B(A): pass\nclass C: pass\n@d2l.add_to_class(B)\n'
                                  'def f(self): return os\nd2l.C')),
    'by name': (unused, TITLE + CODE.format('class A: pass\nname = "A"\ngetattr(d2l, name)')),
    'magic': (unused, TITLE + CODE.format('%time 1\nimport os\nos')),
    'in a cell': (numbers, TITLE + '## A\n\nIt takes 57 of 3,000, or 40%.\n\n'
                  + CODE.format('assert x == 57 and y == 0.4\nprint("3,000")')
                  + '\n## B\n\nAgain 57.'),
    'cited': (numbers, TITLE + 'It takes 57, as {cite:t}`elman1990` says, in PyTorch 2.13, Python '
              '3.11 or chapter 5, since 1997, with 64-bit numbers, $33$ or `44`.'),
    'task': (numbers, TITLE + '## Exercises\n\n1. Take 57 of them.\n'),
    'announced': (numbers, TITLE + 'All 33.\n\n## B\n\n' + CODE.format(33)),
    'names': (names, TITLE + 'PyTorch, JAX, LSTMs, `jax`, jax.numpy, d2lrnn/torch, [torch], cross '
              'entropy, Adam, adamant, tensor flows'),
    'your in code': (language, TITLE + '`you`\n\n' + CODE.format('"you"')),
    'commands': (commands, TITLE + '`python3 -m tools book --epochs 1 --help`, `python3 -m tools`, '
                 '`python3 -m tools X`\n\npython3 -m tools bok'),
}


@pytest.fixture
def small(tmp_path):
    return Small(tmp_path)


@pytest.mark.parametrize('name', WRONG)
def test_rule_finds(small, name):
    rule, text, line, message = WRONG[name]
    found = small.write(text).found(rule)
    assert [each for each in found if each[0] == line and message in each[1]], found


@pytest.mark.parametrize('name', RIGHT)
def test_rule_leaves_alone(small, name):
    rule, text = RIGHT[name]
    assert small.write(text).found(rule) == []
