"""`python3 -m tools measure`: two networks, from the same weights on every framework."""
from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

from tools import book, each, prepare, processes, progress

EPOCHS = 100
WITHIN = 0.10  # largest relative difference of perplexities between two frameworks


def main(options, paths, backends):
    """Train, print the table, and check that frameworks agree; returns the exit status."""
    with prepare.prepared(options, paths, backends) as found:
        corpus, notes = book.find_corpus(options.offline)
        print('\n'.join([f'corpus: {corpus.name} ({corpus.path})', *notes]), flush=True)
        with tempfile.TemporaryDirectory(prefix='d2lrnn-') as folder, progress.start() as shown:
            start = Path(folder) / 'start.npz'
            np.savez(start, **initial_weights())
            results = processes.run(each.run_each(
                'measure_one', [start, options.epochs or EPOCHS], found.ready, options, paths,
                book.variables(corpus), shown))
    rows = [row for result in results.values() for row in result]
    for row in rows:
        print('{model:8} {backend:11} train {train_ppl:6.3f}  validation {val_ppl:6.3f}  '
              '{moved}/{arrays} arrays moved  {seconds:6.1f} s'.format(**row))
    faults = each.faults(found, results, paths) + differences(rows)
    print('\n'.join(faults) or f'all within {WITHIN:.0%} of each other, every array moved')
    return 1 if faults else 0


def initial_weights(vocab_size=28, num_hiddens=32, num_layers=2):
    """Return canonical weights of both networks; names begin with the network's."""
    rng = np.random.default_rng(0)
    bound = num_hiddens ** -0.5
    sizes = [vocab_size] + [num_hiddens] * (num_layers - 1)
    scratch, gru = {}, {}
    for i, size in enumerate(sizes):
        at = f'rnn.{i}.forward.'
        scratch[f'{at}W_xh'] = rng.normal(0, 0.01, (size, num_hiddens))
        scratch[f'{at}W_hh'] = rng.normal(0, 0.01, (num_hiddens, num_hiddens))
        scratch[f'{at}b_h'] = np.zeros(num_hiddens)
        for gate in 'rzn':
            gru[f'{at}W_x{gate}'] = rng.uniform(-bound, bound, (size, num_hiddens))
            gru[f'{at}W_h{gate}'] = rng.uniform(-bound, bound, (num_hiddens, num_hiddens))
        for name in ('b_r', 'b_z', 'b_xn', 'b_hn'):
            gru[at + name] = np.zeros(num_hiddens)
    scratch['W_hq'] = rng.normal(0, 0.01, (num_hiddens, vocab_size))
    gru['W_hq'] = rng.uniform(-bound, bound, (num_hiddens, vocab_size))
    scratch['b_q'] = gru['b_q'] = np.zeros(vocab_size)
    return {f'{model} {name}': value.astype(np.float32)
            for model, weights in (('scratch', scratch), ('GRU', gru))
            for name, value in weights.items()}


def differences(rows):
    """Return what keeps the frameworks from being equal, as lines of text."""
    faults = [f'{row["model"]} on {row["backend"]}: only {row["moved"]} of {row["arrays"]} arrays '
              'moved' for row in rows if row['moved'] < row['arrays']]
    for model in sorted({row['model'] for row in rows}):
        for key in ('train_ppl', 'val_ppl'):
            values = [row[key] for row in rows if row['model'] == model]
            if not np.isfinite(values).all():
                faults.append(f'{model} {key}: {values} is not finite everywhere')
            elif max(values) > (1 + WITHIN) * min(values):
                faults.append(f'{model} {key}: {min(values):.3f} to {max(values):.3f} is more than '
                              f'{WITHIN:.0%} apart')
    return faults
