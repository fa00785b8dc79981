"""Joins the executed notebooks of a chapter into the one that the book shows."""
import re

from d2lrnn import BACKENDS

from tools import myst, nodes, progress
from tools.chapter import ALL, KERNEL

ADDRESS = re.compile(r' at 0x[0-9a-fA-F]+')
CELL_FILE = re.compile(r'\S*ipykernel_\d+[/\\]\d+\.py')  # named after a process
SVG_DATE = re.compile(r'\s*<dc:date>.*?</dc:date>', re.DOTALL)
OVERWRITTEN = re.compile(r'[^\n]*\r(?=[^\n])')  # a progress bar goes back to the line's start
SIZES = ('width', 'height')
FAILURES = 'failures'  # id of the cell that is for the pages only


def merge(chapter, executed, missing, corpus, facts=None):
    """One notebook for Sphinx: every cell once, or once a framework, with real outputs.

    Args:
        chapter: what `chapter.load` returned.
        executed: backend module name -> its notebook of this chapter, with outputs.
        missing: backend module name -> why it was not run.
        corpus: name of the text that the models were trained on.
        facts: backend module name -> {'versions': its packages, 'seconds': what its cells took};
            the page shows them at its foot.
    Raises:
        ValueError: a backend is in neither, or a notebook is not of this chapter as it stands.
    """
    results = {backend: _results(chapter, backend, executed, missing) for backend in BACKENDS}
    code = {cell.index: cell for cell in chapter.cells}
    group_of = {cell.index: number for number, group in enumerate(chapter.groups())
                for cell in group}
    cells, lines = [], []
    for index, node in enumerate(chapter.notebook.cells):
        if index not in code:
            new = [nodes.markdown(node.source, f'cell-{index}')]
        elif code[index].tab == ALL:
            new = _everywhere(code[index], results, executed)
        else:
            backend = next(row for row in BACKENDS if row.tab == code[index].tab)
            new = [_code_cell(code[index], code[index].tab, results[backend][index],
                              group=group_of[index], only=code[index].only)]
        cells += new
        # myst-nb counts this from 0, but adds 1 once too often to the lines of its warnings
        lines += [chapter.lines[index] - 2] * len(new)
    _announce(executed, cells, lines)
    metadata = KERNEL | {
        'source_map': lines,
        'd2lrnn': {'runs': _runs(facts, missing) if facts and chapter.cells else [],
                   'complete': _complete(executed)},
        'myst': {'substitutions': {'corpus': myst.plain(corpus)}}}
    return nodes.notebook(cells, metadata)


def _runs(facts, missing):
    return [{'tab': backend.tab, 'title': backend.title,
             **(facts.get(backend.module) or {'missing': missing[backend.module]})}
            for backend in BACKENDS]


def _complete(executed):
    """Tabs of the frameworks that executed the whole chapter."""
    return [backend.tab for backend in BACKENDS if backend.module in executed
            and not _failed(executed[backend.module])]


def _failed(notebook):
    """What failed in the cells of one framework."""
    abouts = (node.metadata.get('d2lrnn', {}) for node in notebook.cells)
    return [about['failed'] for about in abouts if 'failed' in about]


def _announce(executed, cells, lines):
    """Say under the title what failed; changes the cells and the lines that they start in."""
    failed = [f'- {backend.title}, {myst.plain(what)}' for backend in BACKENDS
              if backend.module in executed for what in _failed(executed[backend.module])]
    if not failed:
        return
    text = '\n'.join([':::{error}', 'This page has failures, shown in the tabs below:', '',
                      *failed, ':::'])
    first = cells[0].source.split('\n')
    title = next(number for number, line in enumerate(first, 1) if line.startswith('# '))
    parts = ['\n'.join(first[:title]), text, '\n'.join(first[title:])]
    cells[:1] = [nodes.markdown(part, id)
                 for part, id in zip(parts, (cells[0].id, FAILURES, f'{cells[0].id}-rest'))]
    lines[:1] = [lines[0], lines[0], lines[0] + title]


def _results(chapter, backend, executed, missing):
    """(outputs, note) of each code cell of one backend, by the cell's index."""
    cells = [cell for cell in chapter.cells if cell.tab in (backend.tab, ALL)]
    if backend.module not in executed:
        if backend.module not in missing:
            raise ValueError(f'chapter {chapter.name}: neither a notebook of {backend.title} nor '
                             'a reason why there is none')
        return {cell.index: ([], f'Not run: {missing[backend.module]}') for cell in cells}
    nodes = {node.metadata['d2lrnn']['id']: node for node in executed[backend.module].cells
             if 'd2lrnn' in node.metadata}
    results = {}
    for cell in cells:
        node = nodes.get(cell.index)
        if node is None or node.source != cell.source:
            raise ValueError(f'{chapter.place(cell.line)}: this cell is not the one that '
                             f'{backend.title} ran; run the chapter again')
        skipped = node.metadata['d2lrnn'].get('skipped')
        results[cell.index] = (normalize(node.outputs), f'Not run: {skipped}' if skipped else None)
    return results


def _everywhere(cell, results, executed):
    """The cell once where all that were executed gave the same, otherwise once a framework."""
    found = {backend: result[cell.index] for backend, result in results.items()}
    ran = [result for backend, result in found.items() if backend.module in executed] \
        or list(found.values())
    if all(result == ran[0] for result in ran):
        return [_code_cell(cell, ALL, ran[0])]
    return [_code_cell(cell, backend.tab, result, group=f'all-{cell.index}')
            for backend, result in found.items()]


def _code_cell(cell, tab, result, **about):
    outputs, note = result
    about = {'include': cell.include, **about, 'note': note}
    about = {key: value for key, value in about.items() if value is not None}
    return nodes.code(cell.source, f'cell-{cell.index}-{tab}',
                      {'d2lrnn': {'tab': tab, **about}, 'tags': list(cell.tags)}, outputs)


def normalize(outputs):
    """The outputs without what differs from run to run or says nothing to a reader."""
    kept, streams = [], {}
    for output in outputs:
        if output.output_type == 'stream':
            if output.name not in streams:
                streams[output.name] = nodes.output('stream', name=output.name, text='')
                kept.append(streams[output.name])
            streams[output.name].text += ''.join(output.text)
        elif output.output_type == 'error':
            kept.append(nodes.output(
                'error', ename=output.ename, evalue=_plain(output.evalue),
                traceback=[_plain(line) for line in output.traceback]))
        elif output.data:
            kept.append(nodes.output(
                'display_data', data=_data(output.data), metadata=_sizes(output.metadata)))
    for stream in streams.values():
        stream.text = OVERWRITTEN.sub('', _plain(stream.text).replace('\r\n', '\n')).rstrip() + '\n'
    kept = [output for output in kept if output.get('text', 'kept').strip()]
    # the kernel sends the two streams independently, so their order says nothing
    return sorted(kept, key=lambda output: output.get('name') == 'stderr')


def _plain(text):
    return ADDRESS.sub('', CELL_FILE.sub('cell', progress.plain(text)))


def _data(data):
    image = any(mime.startswith('image/') for mime in data)
    kept = {}
    for mime, content in sorted(data.items()):
        if mime == 'text/plain' and image:
            continue
        content = ''.join(content) if isinstance(content, list) else content
        if mime == 'text/plain':
            content = _plain(content)
        elif mime == 'image/svg+xml':
            content = SVG_DATE.sub('', content)
        kept[mime] = content
    return kept


def _sizes(metadata):
    sizes = {mime: {key: value[key] for key in SIZES if key in value}
             for mime, value in metadata.items() if isinstance(value, dict)}
    return {mime: value for mime, value in sizes.items() if value}
