"""Trains two networks on one framework; `measure` runs it in its environment."""
import importlib
import json
import sys

import numpy as np


def main(backend, start, epochs):
    """Print one line of JSON for each network.

    Args:
        backend: module name of a backend.
        start: file of the initial weights.
        epochs: how many to train.
    """
    fw = importlib.import_module(f'tests.adapters.{backend}')
    d2l, initial = fw.d2l, np.load(start)
    data = d2l.TimeMachine(batch_size=1024, num_steps=32)
    size = len(data.vocab)
    blocks = {'scratch': (d2l.RNNLMScratch, d2l.StackedRNNScratch(size, 32, 2)),
              'GRU': (d2l.RNNLM, fw.layer(d2l.GRU, size, 32, 2))}
    for name, (Model, block) in blocks.items():
        before = {key.split()[1]: initial[key] for key in initial if key.split()[0] == name}
        net = fw.build(Model(block, size, lr=2), np.zeros((2, 32), dtype=np.int32))
        trainer = d2l.Trainer(epochs, gradient_clip_val=1, num_gpus=1)
        after = fw.weights(fw.fit(fw.load(net, before), trainer, data))
        moved = sum(not np.array_equal(after[key], before[key]) for key in before)
        print(json.dumps({'backend': backend, 'model': name, 'moved': moved,
                          'arrays': len(before), 'seconds': sum(trainer.seconds),
                          **trainer.history[-1]}), flush=True)


if __name__ == '__main__':
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
