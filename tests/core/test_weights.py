"""The file of weights: whole or not at all, and nothing in it is trusted."""
from types import SimpleNamespace

import numpy as np
import pytest
from safetensors.numpy import save_file

import d2lrnn
from d2lrnn.core import text
from d2lrnn.core import weights as files
from tests import reference


def library_class(name):
    """Return a class that seems to be one of the library's."""
    return type(name, (), {'__module__': 'd2lrnn.some.file'})


def model(Head='RNNLM', block='GRU'):
    found = library_class(Head)()
    found.rnn = library_class(block)()
    return found


def arrays(num_layers=2):
    rng = np.random.default_rng(0)
    return {name: array.astype(np.float32) for name, array in reference.random_weights(
        rng, reference.CELLS['GRU'], 4, 3, num_layers, 4).items()}


DATA = SimpleNamespace(vocab=text.Vocab(list('ab')), corpus_name='Some Text')


@pytest.fixture
def path(tmp_path):
    files.write_weights(tmp_path / 'model.safetensors', model(), arrays(), DATA)
    return tmp_path / 'model.safetensors'


def test_what_is_written_is_read(path):
    found = files.read_weights(path, model(), arrays())
    assert set(found) == set(arrays())
    for name, array in arrays().items():
        np.testing.assert_array_equal(found[name], array)
        assert found[name].dtype == np.float32


def test_metadata(path):
    assert files.read_metadata(path) == {
        'class': 'RNNLM', 'rnn': 'GRU', 'd2lrnn': d2lrnn.__version__, 'corpus': 'Some Text',
        'sizes': {'num_inputs': 4, 'num_hiddens': 3, 'num_layers': 2, 'vocab_size': 4},
        'vocabulary': ['<unk>', 'a', 'b']}


def test_without_data_there_is_no_vocabulary(path):
    files.write_weights(path, model(), arrays())
    assert files.read_metadata(path)['vocabulary'] is None
    assert files.read_metadata(path)['corpus'] == ''


def test_a_users_class_counts_as_the_librarys_that_it_extends(path):
    Mine = type('Mine', (library_class('RNNLM'),), {'__module__': 'users.file'})
    mine = Mine()
    mine.rnn = library_class('GRU')()
    assert set(files.read_weights(path, mine, arrays())) == set(arrays())


def test_all_differences_are_listed(path):
    own = arrays()
    del own['W_hq']
    own['b_q'] = own['b_q'][1:]
    own['more'] = own['b_q']
    with pytest.raises(ValueError) as caught:
        files.read_weights(path, model('RNNLMScratch', 'LSTM'), own)
    assert str(caught.value) == (
        f'{path} does not fit the model: class is RNNLM, expected RNNLMScratch; rnn is GRU, '
        'expected LSTM; more is missing; W_hq is not a parameter of the model; b_q has the shape '
        '(4,), expected (3,)')


def test_another_type_is_a_difference(path):
    changed = {**arrays(), 'b_q': arrays()['b_q'].astype(np.float64)}
    save_file(changed, path, {'class': 'RNNLM', 'rnn': 'GRU'})
    with pytest.raises(ValueError, match='b_q has the type F64, expected F32'):
        files.read_weights(path, model(), arrays())


def test_a_file_of_others_has_no_class(path):
    save_file(arrays(), path)
    with pytest.raises(ValueError, match='class is None, expected RNNLM; rnn is None'):
        files.read_weights(path, model(), arrays())
    with pytest.raises(ValueError, match=f'{path} has no metadata of save_weights'):
        files.read_metadata(path)
    save_file(arrays(), path, {'sizes': '{', 'vocabulary': '[]'})
    with pytest.raises(ValueError, match=f'{path} has no metadata of save_weights'):
        files.read_metadata(path)


@pytest.mark.parametrize('damage', [lambda b: b[:-1], lambda b: b[:100], lambda b: b[:5],
                                    lambda b: b'', lambda b: b + b'0', lambda b: b'\xff' * 200,
                                    lambda b: b'PK\x03\x04' + bytes(500)])
def test_no_whole_safetensors_file(path, damage):
    path.write_bytes(damage(path.read_bytes()))
    for read in (files.read_metadata, lambda path: files.read_weights(path, model(), arrays())):
        with pytest.raises(ValueError, match=f'{path} is not a whole safetensors file'):
            read(path)


def test_no_file(tmp_path):
    with pytest.raises(FileNotFoundError, match='nothing'):
        files.read_metadata(tmp_path / 'nothing')


def test_a_failed_write_leaves_the_file_that_was_there(path, monkeypatch):
    before = path.read_bytes()

    def fail(path, data):
        with open(path, 'wb') as file:
            file.write(data[:100])
        raise OSError('no space left')

    monkeypatch.setattr('pathlib.Path.write_bytes', fail)
    with pytest.raises(OSError, match='no space left'):
        files.write_weights(path, model(), arrays(), DATA)
    monkeypatch.undo()
    assert path.read_bytes() == before
    assert [entry.name for entry in path.parent.iterdir()] == [path.name]


def test_paths_that_are_no_files(path):
    with pytest.raises(FileNotFoundError, match=f'{path.parent} is not a file'):
        files.read_metadata(path.parent)
    with pytest.raises(FileExistsError, match=f'{path.parent} is not a file; choose another'):
        files.write_weights(path.parent, model(), arrays())
    with pytest.raises(FileNotFoundError, match='missing is not a folder; make it first'):
        files.write_weights(path.parent / 'missing' / 'file', model(), arrays())


def test_a_link_stays_a_link(path):
    link = path.with_name('link')
    link.symlink_to(path)
    files.write_weights(link, model(), {**arrays(), 'b_q': np.zeros(4, dtype=np.float32)})
    assert link.is_symlink()
    assert not files.read_weights(path, model(), arrays())['b_q'].any()


def test_a_class_of_the_books_own_cells_has_the_name_of_the_librarys(path):
    mine = library_class('RNNLM')()
    mine.rnn = type('GRU', (library_class('RNN'),), {'__module__': '__main__'})()
    assert set(files.read_weights(path, mine, arrays())) == set(arrays())


def test_sizes_of_one_layer_in_both_directions(path):
    weights = reference.random_weights(np.random.default_rng(0), reference.CELLS['BiLSTM'], 4, 3, 1,
                                       4, directions=2)
    files.write_weights(path, model('RNNLM', 'BiLSTM'), weights)
    assert files.read_metadata(path)['sizes'] == {
        'num_inputs': 4, 'num_hiddens': 3, 'num_layers': 1, 'vocab_size': 4}
