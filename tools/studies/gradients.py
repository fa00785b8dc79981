"""The gradient that reaches the lowest layer, by depth, with what is to keep it alive."""
import importlib
import sys

import numpy as np

from tests import reference_stack
from tools.studies.rows import report

TABLE = 'norm of the gradient of the lowest layer\'s states, untrained'
NUM_HIDDENS, NUM_STEPS, BATCH_SIZE, DEPTHS = 64, 32, 64, (1, 2, 4, 8)
HOW = {'plain': {}, 'residual': {'residual': True}, 'layer norm': {'layer_norm': True},
       'both': {'residual': True, 'layer_norm': True}}


def main(backend):
    """Print a row for each cell and way to build the stack, a column a depth."""
    fw = importlib.import_module(f'tests.adapters.{backend}')
    data = fw.d2l.TimeMachine(BATCH_SIZE, NUM_STEPS)
    X, Y = (fw.numpy(part).astype(np.int32) for part in next(iter(data.train_dataloader())))
    for cell in 'RNN', 'GRU', 'LSTM':
        for name, how in HOW.items():
            norms = {f'L={depth}': lowest(fw, cell, depth, how, X, Y, len(data.vocab))
                     for depth in DEPTHS}
            report(TABLE, backend, cell=cell, stack=name, **norms)


def lowest(fw, cell, depth, how, X, Y, vocab_size):
    """Return the norm over all steps, at initial weights that are the same everywhere."""
    rnn = fw.d2l.RecurrentStack(vocab_size, NUM_HIDDENS, depth, cell, **how)
    net = fw.build(fw.d2l.RNNLM(rnn, vocab_size), X)
    rng, bound = np.random.default_rng(0), NUM_HIDDENS**-0.5
    shapes = reference_stack.random_weights(rng, cell, vocab_size, NUM_HIDDENS, depth, vocab_size,
                                            how.get('layer_norm', False))
    net = fw.load(net, {name: _initial(rng, name, value.shape, bound)
                        for name, value in shapes.items()})
    return float(np.sqrt((fw.gradient_norms(net, X, Y)[0]**2).sum()))


def _initial(rng, name, shape, bound):
    kind = name.rsplit('.', 1)[-1][0]
    return {'g': np.ones(shape), 'b': np.zeros(shape)}.get(kind, rng.uniform(-bound, bound, shape)
                                                           ).astype(np.float32)


if __name__ == '__main__':
    main(sys.argv[1])
