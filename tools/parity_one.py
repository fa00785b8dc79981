"""One framework's part of `python3 -m tools parity`, in that framework's environment.

It prints a line of JSON for each model.
"""
import functools
import hashlib
import importlib
import json
import sys
from pathlib import Path

import numpy as np

from tests import reference
from tests.backend import support

NUM_HIDDENS, NUM_STEPS, BATCH_SIZE = 32, 32, 256
PREFIX, NUM_PREDS = 'it has', 200
LR, THETA = 0.5, 1  # at a rate of 1, training a BiGRU is chaotic: differences of rounding grow


def main(backend, phase, folder, num_batches):
    """Run one phase for all models.

    Args:
        backend: module name of a backend.
        phase: 'run', then 'exchange'.
        folder: of the files that the frameworks share.
        num_batches: steps to train.
    """
    fw = importlib.import_module(f'tests.adapters.{backend}')
    data = fw.d2l.TimeMachine(BATCH_SIZE, NUM_STEPS, num_train=BATCH_SIZE * 10)
    data.val_dataloader = lambda: None
    for path in sorted(Path(folder, 'start').iterdir()):
        name, num_layers = path.stem.split('-')
        num_layers = int(num_layers)
        new = functools.partial(support.language_model, fw, name, num_layers, lr=LR,
                                vocab_size=len(data.vocab), num_hiddens=NUM_HIDDENS)
        found = {'run': run, 'exchange': exchange}[phase](
            fw, new, data, path, Path(folder, backend), num_batches)
        print(json.dumps({'model': name, 'num_layers': num_layers, **found}), flush=True)


def run(fw, new, data, start, folder, num_batches):
    """Compare with the oracle, then train and write the weights that come of it."""
    folder.mkdir(exist_ok=True)
    net = fw.load_file(new(), start)
    weights = {key: value.astype(np.float64) for key, value in fw.weights(net).items()}
    differences = from_oracle(fw, net, weights, start.stem.split('-')[0])

    class Recording(fw.d2l.Trainer):
        """Keeps every batch's digest and loss."""
        digests, losses = (), ()

        def start(self):
            """Forget the batches that were only looked at for their shapes."""
            self.digests, self.losses = [], []
            super().start()

        def prepare_batch(self, batch):
            """Note the batch."""
            if isinstance(self.digests, list):
                self.digests.append(hashlib.sha256(b''.join(
                    fw.numpy(part).astype(np.int64).tobytes() for part in batch)).hexdigest())
            return super().prepare_batch(batch)

        def end_epoch(self):
            """Note the losses."""
            self.losses += [float(metric.value) for metric in self.metrics if metric.key != 'acc']
            return super().end_epoch()

    trainer = Recording(max_epochs=-(-num_batches // 10), gradient_clip_val=THETA, seed=1)
    net = fw.fit(net, trainer, data)
    fw.save_file(net, folder / start.name, data)
    return {'oracle': differences, 'losses': trainer.losses[:num_batches],
            'batches': trainer.digests[:num_batches]}


def from_oracle(fw, net, weights, name):
    """Return the largest differences of scores, last states and gradients from the oracle's.

    Those of a gradient are relative to the largest entry of its array.
    """
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, len(weights['b_q']), (2, 3, NUM_STEPS)).astype(np.int32)
    inputs = reference.one_hot(weights, X)
    _, state = fw.run_block(net, inputs)
    _, expected_state, _ = reference.run(weights, inputs)
    loss, grads = fw.gradients(net, X, Y)
    expected_loss, expected = reference.loss_and_gradients(weights, X, Y)
    return {'scores': float(abs(fw.scores(net, X) - reference.scores(weights, X)).max()),
            'states': float(abs(support.from_state(fw, name, state) - expected_state).max()),
            'loss': float(abs(loss - expected_loss)),
            'gradients': max(float(abs(grads[key] - value).max() / abs(value).max())
                             for key, value in expected.items())}


def exchange(fw, new, data, start, folder, num_batches):
    """Load what every framework wrote; keep the scores, return the predictions."""
    X = np.random.default_rng(1).integers(0, len(data.vocab), (3, NUM_STEPS)).astype(np.int32)
    texts, writers = {}, []
    for path in sorted(folder.parent.glob(f'*/{start.name}')):
        writer = path.parent.name
        if writer != 'start':
            net = fw.load_file(new(), path)
            np.save(folder / f'{start.stem}-{writer}.npy', fw.scores(net, X))
            writers.append(writer)
            if support.directions(start.stem.split('-')[0]) == 1:
                texts[writer] = fw.predict(net, PREFIX, NUM_PREDS, data.vocab)
    return {'texts': texts, 'writers': writers}


if __name__ == '__main__':
    main(*sys.argv[1:4], int(sys.argv[4]))
