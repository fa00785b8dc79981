"""The tables of `python3 -m tools parity`, and what it calls a fault."""
import math

import numpy as np
import pytest
from safetensors import safe_open

from tests.backend import support
from tools import parity


def row(model='GRU', losses=(1.0, 2.0), batches=('a', 'b'), texts=None, **oracle):
    return {'model': model, 'num_layers': 2, 'losses': list(losses), 'batches': list(batches),
            'oracle': oracle or {'scores': 1e-7, 'gradients': 2e-7}, 'texts': texts or {},
            'writers': list(texts or {})}


def test_a_start_file_for_every_model(tmp_path):
    parity.write_start(tmp_path / 'start')
    files = {path.stem.split('-')[0]: path for path in (tmp_path / 'start').iterdir()}
    assert set(files) == set(support.BLOCKS)
    for name, path in files.items():
        with safe_open(path, framework='numpy') as file:
            assert file.metadata()['rnn'] == name
            assert all(file.get_tensor(key).all() for key in file.keys())


def test_the_largest_difference_from_the_oracle():
    runs = {'a': [row(scores=1e-7, gradients=3e-6)], 'b': [row(scores=2e-7, gradients=1e-8)]}
    assert parity.oracle_table(runs) == {'GRU x 2': {'a': 3e-6, 'b': 2e-7}}


def test_losses_are_compared_step_by_step_between_any_two():
    runs = {'a': [row(losses=(3, 2))], 'b': [row(losses=(3, 2.5))], 'c': [row(losses=(2.75, 2))]}
    assert parity.loss_table(runs) == {'GRU x 2': {'a-b': 0.5, 'a-c': 0.25, 'b-c': 0.5}}


def test_outputs_are_compared_with_the_writers(tmp_path):
    for reader, shift in ('a', 0), ('b', 1), ('c', 3):
        (tmp_path / reader).mkdir()
        for writer, scores in ('a', 0.0), ('b', 5.0):
            np.save(tmp_path / reader / f'GRU-2-{writer}.npy', np.array([scores, scores + shift]))
    every = {reader: [row(texts={'a': '', 'b': ''})] for reader in 'abc'}
    assert parity.exchanged(tmp_path, every) == {'GRU x 2': {'b': 2.0, 'a': 3.0}}
    np.save(tmp_path / 'b' / 'GRU-2-a.npy', np.array([0, math.nan]))
    assert math.isnan(parity.exchanged(tmp_path, every)['GRU x 2']['a'])


def test_other_batches_are_named():
    runs = {'a': [row(), row('RNN')], 'b': [row(), row('RNN', batches=('b', 'a'))]}
    assert parity.batch_faults(runs) == ['RNN on b: other batches, or in another order']
    assert parity.batch_faults({'a': [row()]}) == parity.batch_faults({}) == []


def test_other_predictions_are_named():
    exchanges = {'a': [row(texts={'a': 'it has', 'b': 'it was'})],
                 'b': [row(texts={'a': 'it hat', 'b': 'it was'})]}
    assert parity.text_faults(exchanges) == ['GRU written on a, read on b: other predictions']


@pytest.mark.parametrize('value', [1e-3, 1, math.nan])
def test_what_is_not_below_the_limit_is_a_fault(capsys, value):
    table = {'GRU x 2': {'a-b': 1e-6, 'a-c': value}, 'RNN x 2': {'a-b': 5e-4}}
    fault, = parity.show('loss', table, 1e-3)
    assert fault.startswith('loss: GRU x 2, a-c: ')
    printed = capsys.readouterr().out.splitlines()
    assert '1.0e-06' in printed[3] and 'nan' in printed[4]  # a cell that is missing is not hidden


def test_an_empty_table_is_not_printed(capsys):
    assert parity.show('loss', {}, 1e-3) == [] and capsys.readouterr().out == ''
