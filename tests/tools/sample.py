"""A small book with every feature, and outputs as a kernel would give them."""
import nbformat.v4
from d2lrnn import BACKENDS

from tools.chapter import load, names, notebook_for
from tools.merge import merge

FRONT = '''---
jupytext:
  text_representation:
    extension: .md
    format_name: myst
kernelspec:
  name: python3
  display_name: Python 3
---
'''

INDEX = FRONT + '''# Recurrent networks

A small book, trained on {{ corpus }}.

```{toctree}
:numbered:

first
Second chapter <second>
```
'''


def cells(code, backends=BACKENDS, options=''):
    """One code cell a backend; {module} and {title} in code are filled in."""
    return '\n'.join(f'```{{code-cell}}\n:tab: {row.tab}\n{options}\n'
                     + code.format(module=row.module, title=row.title) + '\n```\n'
                     for row in backends)


IMPORTS = cells('from d2lrnn import {module} as d2l')
PLOT = cells('board = d2l.ProgressBoard()\nboard.draw()', options=':tags: [full-epochs]\n')
TABLE = cells('table', BACKENDS[:1], ':only: the others print no table\n')

FIRST = FRONT + f'''(sec-first)=
# First chapter

The state follows {{eq}}`eq-state`, as {{cite:t}}`elman1990` has it, on the grid of
{{numref}}`fig-grid`; {{numref}}`fig-curves` shows the training. Inline: $h_t$.

$$
\\boldsymbol{{H}}_t = \\tanh(X_t W_{{xh}} + H_{{t-1}} W_{{hh}} + b_h), \\qquad
H_t^{{(l)}} = \\tanh(H_t^{{(l-1)}} W_{{xh}}^{{(l)}} + H_{{t-1}}^{{(l)}} W_{{hh}}^{{(l)}}
+ b_h^{{(l)}}), \\qquad O_t = H_t^{{(L)}} W_{{hq}} + b_q
$$ (eq-state)

```{{figure}} img/grid.svg
:name: fig-grid
:alt: Two layers over three steps

Two layers, three steps.
```

| layer | a rather long heading of a column | another rather long heading | shape |
| --- | --- | --- | --- |
| 1 | the first layer sees the inputs of the network | and its own state | (d, h) |

::::{{tab-set}}
:sync-group: fw

:::{{tab-item}} PyTorch
:sync: pytorch
PyTorch runs **eagerly**.
:::

:::{{tab-item}} TensorFlow
:sync: tensorflow
TensorFlow builds a graph.
:::

:::{{tab-item}} JAX
:sync: jax
JAX traces, so $H$ is a value.
:::

:::{{tab-item}} MXNet
:sync: mxnet
MXNet hybridizes.
:::
::::

{IMPORTS}
The same code everywhere, with different outputs:

```{{code-cell}}
:tab: all

import platform
platform.python_version()
```

and with the same:

```{{code-cell}}
:tab: all

1 + 1
```

Training:

{PLOT}
```{{cell-figure}}
:name: fig-curves

Perplexity while training.
```

{TABLE}
## Exercises

1. Add one and one.

   ```{{code-block}} python
   1 + 1
   ```

```{{solution-start}} Solution of 1
```

It is two:

```{{code-cell}}
:tab: all

print(2)
```

```{{solution-end}}
```

## Sources

```{{bibliography}}
:filter: docname in docnames
```
'''

SECOND = FRONT + f'''# Second chapter

After {{eq}}`eq-state`, {{numref}}`fig-grid`, {{numref}}`sec-first` and [the first](first.md).

{cells('print("{title}")')}
'''

BIB = '''@article{elman1990, author = {Elman, Jeffrey L.}, title = {Finding structure in time},
journal = {Cognitive Science}, volume = {14}, pages = {179--211}, year = {1990},
doi = {10.1207/s15516709cog1402_1}}
'''

SVG = '''<svg xmlns="http://www.w3.org/2000/svg" width="350" height="200" viewBox="0 0 350 200"
xmlns:dc="http://purl.org/dc/elements/1.1/">
<metadata><dc:date>2025-01-01T10:00:00</dc:date></metadata>
<path d="M20 20 L20 180 L330 180" fill="none" stroke="black"/>
<path d="M20 40 C80 {0} 200 160 330 170" fill="none" stroke="#1f77b4" stroke-width="2"/>
<text x="120" y="30" font-family="sans-serif">{1}</text></svg>
'''
LONG = 'x' * 150


def write(folder):
    """The sources of the book."""
    (folder / 'img').mkdir(parents=True)
    for name, text in (('index', INDEX), ('first', FIRST), ('second', SECOND)):
        (folder / f'{name}.md').write_text(text)
    (folder / 'refs.bib').write_text(BIB)
    (folder / 'img' / 'grid.svg').write_text(SVG.format(90, 'grid'))
    return folder


def new_output(kind, **content):
    return nbformat.v4.new_output(kind, **content)


def outputs(source, backend, run):
    """What a kernel could have sent; `run` changes what differs between two equal runs."""
    address = f'0x7f00{run:04x}'
    if 'board' in source:
        return [new_output('stream', name='stderr', text=f'\x1b[33m/tmp/ipykernel_{run}/12.py:1: '
                           f'UserWarning: {backend.title} is slow here {LONG}\x1b[0m\n'),
                new_output('stream', name='stdout', text='epoch 1\r'),
                new_output('stream', name='stdout', text=f'epoch 2 {LONG}\n'),
                new_output('execute_result', execution_count=run, data={
                    'image/svg+xml': SVG.format(100 + len(backend.title), backend.title).replace(
                        '10:00', f'11:{run:02}'),
                    'text/plain': f'<Figure size 350x250 at {address}>'})]
    if 'python_version' in source:
        version = '3.9.2' if backend.module == 'mxnet' else '3.11.2'
        return [new_output('execute_result', data={'text/plain': repr(version)})]
    if 'table' in source:
        row = ''.join(f'<td>a value {i}</td>' for i in range(15))
        return [new_output('execute_result', data={
            'text/html': f'<table><thead><tr><th>h</th></tr></thead><tr>{row}</tr></table>',
            'text/plain': f'<Table at {address}>'})]
    if '1 + 1' in source:
        return [new_output('execute_result', data={'text/plain': '2'})]
    if 'print' in source:
        text = '2\n' if 'print(2)' in source else f'{backend.title}\n'
        return [new_output('stream', name='stdout', text=text)]
    return []


def execute(chapter, backend, run=1):
    notebook = notebook_for(chapter, backend)
    for count, cell in enumerate(notebook.cells):
        if cell.cell_type == 'code':
            cell.outputs = outputs(cell.source, backend, run)
            cell.execution_count = count + run
            cell.metadata['execution'] = {'iopub.status.busy': f'2025-01-01T00:00:{run:02}'}
    return notebook


def merged(folder, missing=(), corpus='The Time Machine', only=None):
    """The book, executed on all backends but the missing ones."""
    book = {}
    for name in names(folder):
        chapter = load(name, folder)
        ran = {row.module: execute(chapter, row) for row in BACKENDS
               if row.module not in dict(missing)}
        facts = {module: {'versions': f'{module} 1.2', 'seconds': 75.2} for module in ran}
        book[name] = merge(chapter, ran, dict(missing), corpus, facts)
    return {name: book[name] for name in only or book}
