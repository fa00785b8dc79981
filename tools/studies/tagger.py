"""What the other direction is worth: vowels restored, at equal numbers of parameters."""
import importlib
import sys

import numpy as np

from d2lrnn.core import cost
from tests import reference
from tools.studies.rows import report

TABLE = 'vowels restored: accuracy on validation'
NUM_HIDDENS, NUM_STEPS, BATCH_SIZE, EPOCHS, SEEDS, LR = 32, 32, 32, 15, range(5), 0.01


def main(backend):
    """Print a row for each seed, and the mean margin with its spread."""
    fw = importlib.import_module(f'tests.adapters.{backend}')
    data = fw.d2l.MaskedVowels(BATCH_SIZE, NUM_STEPS, num_train=1400, num_val=300)
    size, tags = len(data.vocab), len(data.tags)
    both = cost.Stack('GRU', size, NUM_HIDDENS, directions=2).parameters()
    both += (2 * NUM_HIDDENS + 1) * tags
    width = min(range(1, 4 * NUM_HIDDENS), key=lambda h: abs(parameters(size, h, tags) - both))
    margins = []
    for seed in SEEDS:
        found = {name: accuracy(fw, data, name, h, seed)
                 for name, h in (('BiGRU', NUM_HIDDENS), ('GRU', width))}
        margins.append(found['BiGRU'] - found['GRU'])
        report(TABLE, backend, seed=str(seed), **found, margin=margins[-1])
    report('margin of both directions', backend, seeds=str(len(margins)),
           parameters=f'{both} and {parameters(size, width, tags)}', mean=float(np.mean(margins)),
           deviation=float(np.std(margins, ddof=1)), least=min(margins))


def parameters(num_inputs, num_hiddens, num_tags):
    """Return the parameters of a one-directional tagger."""
    return (cost.Stack('GRU', num_inputs, num_hiddens).parameters()
            + (num_hiddens + 1) * num_tags)


def accuracy(fw, data, name, num_hiddens, seed):
    """Train from weights that are the same everywhere; return the best accuracy of an epoch."""
    size, tags = len(data.vocab), len(data.tags)

    class Tagger(fw.d2l.Tagger):
        """A tagger that learns by Adam."""
        def configure_optimizers(self):
            """Return the framework's Adam."""
            return fw.adam(self, LR)

    model = Tagger(fw.layer(getattr(fw.d2l, name), size, num_hiddens), tags, size)
    net = fw.build(model, np.zeros((1, NUM_STEPS), dtype=np.int32))
    weights = reference.random_weights(
        np.random.default_rng(seed), reference.GRUCell, size, num_hiddens, 1, tags,
        num_hiddens**-0.5, directions=2 if name.startswith('Bi') else 1)
    net = fw.load(net, {key: value.astype(np.float32) * (key.rsplit('.', 1)[-1][0] == 'W')
                        for key, value in weights.items()})
    trainer = fw.d2l.Trainer(EPOCHS, gradient_clip_val=1, seed=seed)
    fw.fit(net, trainer, data)
    return max(record['val_acc'] for record in trainer.history)


if __name__ == '__main__':
    main(sys.argv[1])
