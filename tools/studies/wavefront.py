"""Anti-diagonals against layer by layer, and against the framework's own layer.

All three run forward and backward by turns, so that a busy machine slows all of them.
"""
import importlib
import statistics
import sys
import time

import numpy as np

from tools.studies.rows import report

# Steps, batch size, units and layers.
SHAPES = ((256, 16, 128, 8), (256, 1, 32, 8), (128, 64, 256, 4), (32, 1024, 32, 2))
ROUNDS = 7
SIGMA = 0.1  # smaller weights make denormal numbers of the gradients of deep stacks: slow ones
TABLE = 'seconds forward and backward: layer by layer, by anti-diagonals, the framework\'s layer'
OWN = {'RNNScratch': 'RNN', 'GRUScratch': 'GRU', 'LSTMScratch': 'LSTM'}


def main(backend):
    """Print a row for each cell and shape.

    Args:
        backend: module name of a backend.
    """
    fw = importlib.import_module(f'tests.adapters.{backend}')
    for cell in OWN:
        for shape in SHAPES:
            num_steps, batch_size, num_hiddens, num_layers = shape
            inputs = np.random.default_rng(0).standard_normal((num_steps, batch_size, num_hiddens))
            seconds = medians([fw.step_function(block, inputs)
                               for block in blocks(fw, cell, num_hiddens, num_layers)])
            layers, wavefront, own = seconds
            report(TABLE, backend, cell=cell, T=num_steps, batch=batch_size, units=num_hiddens,
                   L=num_layers, layers=layers, wavefront=wavefront, own=own,
                   **{'layers/wavefront': layers / wavefront, 'own/wavefront': own / wavefront})


def blocks(fw, cell, num_hiddens, num_layers):
    """Return the stack layer by layer, the one by anti-diagonals, and the framework's layer.

    Args:
        fw: adapter of a framework.
        cell: class of the layers from scratch.
        num_hiddens: features of an input, and units of each layer.
        num_layers: layers.
    """
    d2l, sizes = fw.d2l, (num_hiddens, num_hiddens, num_layers)
    layers = (d2l.StackedRNNScratch(*sizes, sigma=SIGMA) if cell == 'RNNScratch'
              else d2l.RecurrentStack(*sizes, cell=cell, sigma=SIGMA))
    return (layers, d2l.WavefrontStack(*sizes, cell=cell, sigma=SIGMA),
            fw.layer(getattr(d2l, OWN[cell]), *sizes))


def medians(steps):
    """Return the median seconds of each function, called in turn."""
    seconds = [[] for _ in steps]
    for _ in range(1 + ROUNDS):  # the first one compiles
        for step, found in zip(steps, seconds):
            began = time.perf_counter()
            step()
            found.append(time.perf_counter() - began)
    return [statistics.median(found[1:]) for found in seconds]


if __name__ == '__main__':
    main(sys.argv[1])
