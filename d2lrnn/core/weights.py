"""Canonical names of parameters, shaped as in the equations, and the file that holds them.

``rnn.{layer}.{direction}.`` with the direction forward or backward, and W_xh W_hh b_h for a plain
layer; a gate's letter instead of h for a gated one: r z n (GRU; b_xn and b_hn instead of b_n where
the reset comes after the product) and i f g o (LSTM). ``g_`` before that letter is a gain of layer
normalization; ``H_0`` and ``C_0`` are learned first states. ``W_hq b_q`` for the head.
"""
import json
import os
import re
from pathlib import Path

import numpy as np
from safetensors import SafetensorError, safe_open
from safetensors.numpy import save

from .. import __version__

HEADS = ('RNNLMScratch', 'RNNLM', 'Tagger')
BLOCKS = ('RNNScratch', 'StackedRNNScratch', 'GRUScratch', 'LSTMScratch', 'BiRNNScratch', 'RNN',
          'GRU', 'LSTM', 'BiRNN', 'BiGRU', 'BiLSTM', 'RecurrentStack', 'WavefrontStack')
NAME = re.compile(r'rnn\.\d+\.(forward|backward)\.((W_[xh]|b_[xh]?|g_)[hrznifgo]|[HC]_0)'
                  r'|W_hq|b_q')


def _faults(expected, found):
    """Return all differences of two dictionaries of names and shapes, as lines of text."""
    faults = [f'{name} is missing' for name in expected if name not in found]
    faults += [f'{name} is not a parameter of the model' for name in found if name not in expected]
    faults += [f'{name} has the shape {tuple(found[name])}, expected {tuple(shape)}'
               for name, shape in expected.items()
               if name in found and tuple(found[name]) != tuple(shape)]
    return faults


def check_names(model, parts):
    """Return a dictionary of parameters, or raise ValueError where a name is not canonical.

    Args:
        model: a language model.
        parts: dictionary of names and what they stand for.
    """
    wrong = [name for name in parts if not NAME.fullmatch(name)]
    if wrong or not any(name.startswith('rnn.') for name in parts):
        raise ValueError(
            f'the parameters of {type(model.rnn).__name__} have no canonical names: '
            f'{", ".join(wrong) or "none was found"}; expected W_xh, W_hh and b_h (or gates r z n, '
            'or i f g o) of the block itself, of its layers in a list `rnns`, or `f_rnns` and '
            "`b_rnns`, or the framework's layers in `rnn` or `rnns`")
    return parts


def check_weights(shapes, weights):
    """Return weights as NumPy arrays, or raise ValueError with all differences.

    Args:
        shapes: the model's canonical names and shapes.
        weights: dictionary of the arrays given.
    """
    arrays = {name: np.asarray(array, dtype=np.float32) for name, array in weights.items()}
    faults = _faults(shapes, {name: array.shape for name, array in arrays.items()})
    if faults:
        raise ValueError('weights do not fit the model: ' + '; '.join(faults))
    return arrays


def write_weights(path, model, weights, data=None):
    """Write a safetensors file; one that was there is replaced only when the new one is whole.

    Args:
        path: of the file.
        model: a language model.
        weights: its canonical names and arrays.
        data: the DataModule it learned from, for the vocabulary and the corpus; None where there
            is none.

    Raises:
        FileNotFoundError: no such folder. FileExistsError: the path is that of no file.
    """
    path = Path(path).resolve()
    if not path.parent.is_dir():
        raise FileNotFoundError(f'{path.parent} is not a folder; make it first')
    if path.exists() and not path.is_file():
        raise FileExistsError(f'{path} is not a file; choose another path')
    metadata = {**_classes(model), 'd2lrnn': __version__,
                'sizes': json.dumps(_sizes(model, weights)),
                'vocabulary': json.dumps(getattr(getattr(data, 'vocab', None), 'idx_to_token',
                                                 None)),
                'corpus': getattr(data, 'corpus_name', None) or ''}
    temporary = path.with_name(f'.{path.name}.{os.getpid()}')
    try:
        temporary.write_bytes(save({name: array.astype(np.float32)
                                    for name, array in weights.items()}, metadata))
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def read_weights(path, model, weights):
    """Return the canonical names and arrays of a file that fits a model.

    Args:
        path: of the file.
        model: a language model.
        weights: the canonical names and arrays that it has now.

    Raises:
        ValueError: no safetensors file, another class, or arrays that are missing, too many, or of
            another shape or type; with all differences.
    """
    with _opened(path) as file:
        found, metadata = {name: file.get_slice(name) for name in file.keys()}, file.metadata()
        faults = [f'{key} is {(metadata or {}).get(key)}, expected {expected}'
                  for key, expected in _classes(model).items()
                  if (metadata or {}).get(key) != expected]
        faults += _faults({name: array.shape for name, array in weights.items()},
                          {name: part.get_shape() for name, part in found.items()})
        faults += [f'{name} has the type {part.get_dtype()}, expected F32'
                   for name, part in found.items() if part.get_dtype() != 'F32']
        if faults:
            raise ValueError(f'{path} does not fit the model: ' + '; '.join(faults))
        return {name: file.get_tensor(name) for name in found}


def read_metadata(path):
    """Return what a file of weights says of itself.

    Args:
        path: of a file that `save_weights` wrote.

    Returns:
        A dictionary: 'class' and 'rnn', names of the classes of the model and its block; 'sizes', a
        dictionary; 'vocabulary', the list of tokens, or None; 'corpus', its name; 'd2lrnn', the
        version that wrote it.

    Raises:
        ValueError: no safetensors file, or none with such metadata.
    """
    with _opened(path) as file:
        metadata = file.metadata() or {}
    try:
        return {**metadata, **{key: json.loads(metadata[key]) for key in ('sizes', 'vocabulary')}}
    except (KeyError, json.JSONDecodeError) as error:
        raise ValueError(f'{path} has no metadata of save_weights: {error}') from error


def _opened(path):
    if not Path(path).is_file():
        raise FileNotFoundError(f'{path} is not a file')
    try:
        return safe_open(path, framework='numpy')
    except SafetensorError as error:
        raise ValueError(f'{path} is not a whole safetensors file ({error}); write it with '
                         'save_weights') from error


def _classes(model):
    """Return the names of the library's classes that a model and its block are, or extend."""
    names = {key: next((Class.__name__ for Class in type(part).__mro__ if Class.__name__ in known),
                       type(part).__name__)
             for key, part, known in (('class', model, HEADS), ('rnn', model.rnn, BLOCKS))}
    if getattr(model.rnn, 'residual', False):  # no array tells
        names['rnn'] += ' with residual=True'
    return names


def _sizes(model, weights):
    layers = {name.split('.')[1] for name in weights if name.startswith('rnn.')}
    first = {name.rsplit('.', 1)[1][:3]: array.shape for name, array in weights.items()
             if name.startswith('rnn.0.forward.W_')}
    num_inputs, num_hiddens = first['W_x']
    return {'num_inputs': num_inputs, 'num_hiddens': num_hiddens, 'num_layers': len(layers),
            'num_tags' if hasattr(model, 'num_tags') else 'vocab_size': len(weights['b_q'])}

