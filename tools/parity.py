"""`python3 -m tools parity`: every model on every framework, against the oracle and each other."""
from __future__ import annotations

import itertools
import tempfile
from pathlib import Path

import numpy as np
from safetensors.numpy import save_file

from tests import reference
from tests.backend import support
from tools import book, each, prepare, processes, progress
from tools.parity_one import NUM_HIDDENS

NUM_BATCHES = 50
VOCAB = 28     # tokens of The Time Machine
LIMITS = {'oracle': 1e-4, 'losses': 1e-3, 'outputs': 1e-5}


def main(options, paths, backends):
    """Run all models, print the tables, and check the limits; returns the exit status."""
    with prepare.prepared(options, paths, backends) as found:
        corpus, notes = book.find_corpus(options.offline)
        print('\n'.join([f'corpus: {corpus.name} ({corpus.path})', *notes]), flush=True)
        with tempfile.TemporaryDirectory(prefix='d2lrnn-') as folder, progress.start() as shown:
            write_start(Path(folder, 'start'))

            def phase(name):
                return processes.run(each.run_each(
                    'parity_one', [name, folder, NUM_BATCHES], found.ready, options, paths,
                    book.variables(corpus), shown))
            runs = phase('run')
            exchanges = phase('exchange')
            outputs = exchanged(Path(folder), exchanges)
    faults = each.faults(found, runs, paths) + each.faults(found, exchanges, paths)
    faults += show('largest difference from the oracle', oracle_table(runs), LIMITS['oracle'])
    faults += show(f'largest difference of the loss in {NUM_BATCHES} steps', loss_table(runs),
                   LIMITS['losses'])
    faults += show('largest difference of the scores where another framework reads the file of',
                   outputs, LIMITS['outputs'])
    faults += batch_faults(runs) + text_faults(exchanges)
    print()
    print('\n'.join(faults) or 'the same batches in the same order on all; predictions of '
          'exchanged files identical; all within the limits')
    return 1 if faults else 0


def write_start(folder):
    """Write a file of initial weights for every model; no bias is zero."""
    folder.mkdir()
    rng = np.random.default_rng(0)
    for name in support.BLOCKS:
        num_layers = 1 if name in support.SINGLE else 2
        weights = reference.random_weights(
            rng, reference.CELLS[name], VOCAB, NUM_HIDDENS, num_layers, VOCAB,
            sigma=NUM_HIDDENS**-0.5, directions=support.directions(name))
        head = ('Tagger' if support.directions(name) == 2 else
                'RNNLM' if name in support.HIGH else 'RNNLMScratch')
        save_file(support.as_float32(weights), folder / f'{name}-{num_layers}.safetensors',
                  {'class': head, 'rnn': name})


def oracle_table(runs):
    """Return {model: {framework: largest difference from the oracle}}."""
    table = {}
    for module, rows in runs.items():
        for row in rows:
            table.setdefault(_title(row), {})[module] = max(row['oracle'].values())
    return table


def loss_table(runs):
    """Return {model: {'one-other': largest difference of the loss of a step}}."""
    table = {}
    for (one, rows), (other, others) in itertools.combinations(runs.items(), 2):
        for row, beside in zip(rows, others):
            table.setdefault(_title(row), {})[f'{one}-{other}'] = float(
                abs(np.subtract(row['losses'], beside['losses'])).max())
    return table


def exchanged(folder, exchanges):
    """Return {model: {writer: largest difference of the scores on any other framework}}."""
    table = {}
    for reader, rows in exchanges.items():
        for row, writer in itertools.product(rows, exchanges):
            stem = f'{row["model"]}-{row["num_layers"]}'
            if writer != reader and writer in row['writers']:
                ours, theirs = (np.load(folder / module / f'{stem}-{writer}.npy')
                                for module in (reader, writer))
                cells = table.setdefault(_title(row), {})
                worst = np.maximum(cells.get(writer, 0), abs(ours - theirs).max())  # NaN wins
                cells[writer] = float(worst)
    return table


def batch_faults(runs):
    """Return which frameworks saw other batches than the first."""
    seen = {(module, row['model']): row['batches'] for module, rows in runs.items() for row in rows}
    first = next(iter(seen.values()), None)
    return [f'{model} on {module}: other batches, or in another order'
            for (module, model), batches in seen.items() if batches != first]


def text_faults(exchanges):
    """Return which predictions differ from those of the framework that wrote the file."""
    texts = {(module, row['model']): row['texts'] for module, rows in exchanges.items()
             for row in rows}
    return [f'{model} written on {writer}, read on {module}: other predictions'
            for (module, model), found in texts.items() for writer, text in found.items()
            if text != texts[writer, model][writer]]


def show(title, table, limit):
    """Print a table; return what is above the limit, a line each."""
    if not table:
        return []
    columns = list(dict.fromkeys(itertools.chain.from_iterable(table.values())))
    widths = [max(10, len(column)) for column in columns]
    print(f'\n{title} (limit {limit:g})')
    print(' ' * 22, *(f'{column:>{width}}' for column, width in zip(columns, widths)))
    for model, cells in table.items():
        print(f'{model:22}', *(f'{cells.get(column, np.nan):{width}.1e}'
                               for column, width in zip(columns, widths)))
    return [f'{title}: {model}, {column}: {value:g} is not below {limit:g}'
            for model, cells in table.items() for column, value in cells.items()
            if not value < limit]


def _title(row):
    return f'{row["model"]} x {row["num_layers"]}'
