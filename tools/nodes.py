"""Parts of notebooks, made without nbformat's check of each, which takes longer than all the rest.

A whole notebook is checked when it is written or read.
"""
from nbformat import from_dict


def markdown(source, id):  # noqa: A002, nbformat's name
    return from_dict({'id': id, 'cell_type': 'markdown', 'source': source, 'metadata': {}})


def code(source, id, metadata, outputs=()):  # noqa: A002
    return from_dict({'id': id, 'cell_type': 'code', 'source': source, 'metadata': metadata,
                      'execution_count': None, 'outputs': list(outputs)})


def code_of(notebook):
    """The code cells of a notebook."""
    return [cell for cell in notebook.cells if cell.cell_type == 'code']


def output(kind, **content):
    return from_dict({'output_type': kind, **content})


def notebook(cells, metadata):
    return from_dict({'nbformat': 4, 'nbformat_minor': 5, 'cells': cells, 'metadata': metadata})
