"""d2lrnn on TensorFlow and Keras: ``from d2lrnn import tensorflow as d2l``."""


def _import_quietly():
    """Import TensorFlow without the notes that it prints in passing; all else comes through."""
    import os
    import re
    import sys
    import tempfile
    note = re.compile(r'I\d{4} |WARNING: All log messages before absl')
    # The first notes go past sys.stderr, and past the level that this sets for the others.
    os.environ.setdefault('TF_CPP_MIN_LOG_LEVEL', '1')
    console = os.dup(2)
    with tempfile.TemporaryFile('w+', errors='replace') as printed:
        os.dup2(printed.fileno(), 2)
        try:
            import tensorflow
            tensorflow.keras.layers  # Keras is loaded at its first use
        finally:
            os.dup2(console, 2)
            os.close(console)
            printed.seek(0)
            sys.stderr.writelines(line for line in printed if not note.match(line))


_import_quietly()
del _import_quietly

from ..core import cost
from ..core.board import ProgressBoard
from ..core.causality import check_causal, is_causal
from ..core.checks import (check_dropout, check_inputs, check_len, check_pair, check_shape,
                           check_single, check_sizes, check_state, check_states, check_tokens)
from ..core.corpora import DATA_URL, download
from ..core.figures import plot, set_axes, set_figsize, use_svg_display
from ..core.grids import plot_grid, plot_schedule
from ..core.hyperparameters import HyperParameters, add_to_class
from ..core.sampling import Sampler
from ..core.text import Vocab, prefix_indices
from ..core.weights import read_metadata
from .birnn import BiGRU, BiLSTM, BiRNN, BiRNNScratch
from .data import DataModule, MaskedVowels, TimeMachine
from .devices import cpu, gpu, num_gpus, try_all_gpus, try_gpu
from .gru import GRU, GRUScratch
from .layernorm import (LayerNormGRU, LayerNormGRUScratch, LayerNormLSTM, LayerNormLSTMScratch,
                        LayerNormRNN, LayerNormRNNScratch, layer_norm)
from .lm import RNNLM, RNNLMScratch
from .lstm import LSTM, LSTMScratch
from .module import Classifier, Module
from .ops import *  # noqa: F403
from .probes import causality, gradient_norms, saturation
from .regularize import RecurrentStack, VariationalDropout
from .rnn import RNN, Recurrent, RNNScratch
from .stacked import StackedRNNScratch
from .tagger import Tagger
from .tokens import TokenModel
from .trainer import Trainer
from .wavefront import WavefrontStack
from .weights import get_gradients, get_weights, set_weights
