"""d2l's short names, devices, checks and plot."""
import numpy as np
import pytest

A = np.array([[1., 2., 3.], [4., 5., 7.]])
B = A[::-1] + 0.5
V = np.array([-1., 0.25, 2.])
T = np.arange(12.).reshape(2, 2, 3)

# Name, arguments, what NumPy makes of them. Positional arguments, as they are all frameworks'.
OPS = [
    *((name, (V,), getattr(np, name)(V)) for name in ('sin', 'sinh', 'cos', 'cosh', 'tanh', 'exp',
                                                      'abs', 'ones_like', 'zeros_like')),
    ('log', (A,), np.log(A)),
    ('sigmoid', (V,), 1 / (1 + np.exp(-V))),
    ('ones', ((2, 3),), np.ones((2, 3))),
    ('zeros', ((2, 3),), np.zeros((2, 3))),
    ('eye', (3,), np.eye(3)),
    ('arange', (5,), np.arange(5)),
    ('linspace', (0., 1., 5), np.linspace(0, 1, 5)),
    ('tensor', ([[1., 2.]],), np.array([[1., 2.]])),
    ('matmul', (A, B.T.copy()), A @ B.T),
    ('batch_matmul', (T, T.swapaxes(1, 2).copy()), T @ T.swapaxes(1, 2)),
    ('concat', ([A, B], 0), np.concatenate([A, B], 0)),
    ('concat', ([A, B], 1), np.concatenate([A, B], 1)),
    ('stack', ([A, B], 0), np.stack([A, B], 0)),
    ('stack', ([A, B], 1), np.stack([A, B], 1)),
    ('reshape', (A, (3, 2)), A.reshape(3, 2)),
    ('transpose', (A,), A.T),
    ('swapaxes', (T, 0, 1), T.swapaxes(0, 1)),
    ('expand_dims', (A, 1), A[:, None]),
    ('reduce_sum', (A, 0), A.sum(0)),
    ('reduce_sum', (A,), A.sum()),
    ('reduce_mean', (A, 1), A.mean(1)),
    ('argmax', (A, 1), A.argmax(1)),
    ('repeat', (V[:1], 3), V[:1].repeat(3)),  # of one number: torch tiles, the others repeat
]
EXIST = ('normal', 'rand', 'randn', 'int32', 'int64', 'float32', 'meshgrid', 'to', 'size', 'astype',
         'numpy', 'nn_Module')
API = ('HyperParameters', 'add_to_class', 'Module', 'Classifier', 'DataModule', 'Trainer',
       'ProgressBoard', 'TimeMachine', 'Vocab', 'RNNScratch', 'StackedRNNScratch', 'RNNLMScratch',
       'RNN', 'RNNLM', 'GRU', 'LSTM', 'check_len', 'check_shape', 'cpu', 'gpu', 'num_gpus',
       'try_gpu', 'try_all_gpus', 'plot', 'set_axes', 'set_figsize', 'use_svg_display',
       'get_weights', 'get_gradients', 'set_weights')


def op(fw, name):
    """Return an operation, unless this framework's d2l never had it."""
    if name not in fw.ABSENT_OPS:
        return getattr(fw.d2l, name)
    assert not hasattr(fw.d2l, name), f'{name} is there: take it out of ABSENT_OPS'
    return pytest.skip(f'{name}: {fw.ABSENT_OPS[name]}')


def tensors(fw, value):
    if isinstance(value, np.ndarray):
        return fw.tensor(value)
    if isinstance(value, list) and isinstance(value[0], np.ndarray):
        return [fw.tensor(array) for array in value]
    return value


@pytest.mark.parametrize('name, arguments, expected', OPS)
def test_operation(fw, name, arguments, expected):
    result = op(fw, name)(*(tensors(fw, argument) for argument in arguments))
    np.testing.assert_allclose(fw.numpy(result), expected, rtol=1e-6, atol=1e-6)
    assert fw.numpy(result).shape == np.shape(expected)


@pytest.mark.parametrize('name', EXIST)
def test_name_exists(fw, name):
    assert op(fw, name) is not None


@pytest.mark.parametrize('name', API)
def test_api_name_exists(d2l, name):
    assert hasattr(d2l, name)


def test_absent_operations_have_a_reason(fw):
    assert set(fw.ABSENT_OPS) <= {name for name, _, _ in OPS} | set(EXIST)
    assert all(fw.ABSENT_OPS.values())


@pytest.mark.filterwarnings('ignore:.*meshgrid')
def test_meshgrid_has_all_pairs(fw, d2l):
    grids = [fw.numpy(grid) for grid in d2l.meshgrid(fw.tensor(V), fw.tensor(V[:2]))]
    assert {(a, b) for a, b in zip(*(grid.reshape(-1) for grid in grids))} == {
        (a, b) for a in V.astype(np.float32) for b in V[:2].astype(np.float32)}


def test_types(fw, d2l):
    assert fw.numpy(d2l.astype(fw.tensor(V), d2l.int32)).dtype == np.int32
    assert fw.numpy(d2l.astype(fw.tensor(np.arange(3)), d2l.float32)).dtype == np.float32


def test_numpy_and_back(fw, d2l):
    array = d2l.numpy(fw.tensor(A))
    assert isinstance(array, np.ndarray)
    np.testing.assert_array_equal(array, A)


def test_size_counts_elements(fw):
    assert int(op(fw, 'size')(fw.tensor(A))) == 6


def test_to_moves_to_a_device(fw, d2l):
    np.testing.assert_array_equal(fw.numpy(op(fw, 'to')(fw.tensor(A), d2l.cpu())), A)


def test_names_without_underscore_only(d2l):
    assert not [name for name in vars(d2l) if name.startswith('_') and not name.startswith('__')]


def test_devices(d2l):
    count = d2l.num_gpus()
    assert isinstance(count, int) and count >= 0
    assert len(d2l.try_all_gpus()) == max(1, count)
    assert type(d2l.try_gpu(count)) is type(d2l.cpu())  # one past the last: there is only the CPU


def test_check_len(d2l):
    d2l.check_len([1, 2], 2)
    with pytest.raises(ValueError, match='list of length 2, expected length 3'):
        d2l.check_len([1, 2], 3)


def test_check_shape(fw, d2l):
    d2l.check_shape(fw.tensor(A), (2, 3))
    with pytest.raises(ValueError, match=r'tensor of shape \(2, 3\), expected shape \(3, 2\)'):
        d2l.check_shape(fw.tensor(A), (3, 2))


def test_plot_takes_tensors(fw, d2l):
    from matplotlib.figure import Figure
    axes = Figure().add_subplot()
    d2l.plot(fw.tensor(V), [fw.tensor(V), fw.tensor(V + 1)], 'x', 'y', legend=['a', 'b'], axes=axes)
    lines = axes.get_lines()
    assert len(lines) == 2
    np.testing.assert_allclose(lines[1].get_ydata(), V + 1)
    np.testing.assert_allclose(lines[1].get_xdata(), V)
    assert [text.get_text() for text in axes.get_legend().get_texts()] == ['a', 'b']
