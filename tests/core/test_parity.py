"""The backends define the same: files, classes, order, arguments, equations, shapes.

What one backend may have for itself stands in its adapter, tests/adapters/<backend>.py, in the
table DIFFERENCES, with a reason each.
"""
import ast

import pytest

from d2lrnn import BACKENDS

from .parity import ADAPTERS, ROOT, Folder

NAMES = [backend.module for backend in BACKENDS]
FIRST, *OTHERS = NAMES


@pytest.fixture(scope='module')
def folders():
    return {name: Folder(name) for name in NAMES}


@pytest.mark.parametrize('name', NAMES)
def test_backend_is_there(name):
    assert (ROOT / name / '__init__.py').is_file(), f'd2lrnn/{name} is missing'
    assert (ADAPTERS / f'{name}.py').is_file(), f'tests/adapters/{name}.py is missing'


@pytest.mark.parametrize('name', NAMES)
def test_no_other_folder(name):
    known = {*NAMES, 'core', 'corpora', '__pycache__'}
    assert {path.name for path in ROOT.iterdir() if path.is_dir()} <= known


@pytest.mark.parametrize('name', OTHERS)
def test_same_files(folders, name):
    assert sorted(folders[name].files) == sorted(folders[FIRST].files)


@pytest.mark.parametrize('name', OTHERS)
def test_same_exports(folders, name):
    assert folders[name].exports == folders[FIRST].exports


@pytest.mark.parametrize('name', OTHERS)
def test_same_definitions_in_the_same_order(folders, name):
    ours, theirs = folders[name].beside(folders[FIRST]), folders[FIRST].beside(folders[name])
    for stem in sorted(folders[FIRST].files):
        assert ([key for key in ours if key.startswith(f'{stem}.')]
                == [key for key in theirs if key.startswith(f'{stem}.')]), f'{stem}.py'


@pytest.mark.parametrize('name', OTHERS)
def test_same_arguments(folders, name):
    ours, theirs = folders[name].beside(folders[FIRST]), folders[FIRST].beside(folders[name])
    wrong = {key: (list(ours[key].arguments.items()), list(theirs[key].arguments.items()))
             for key in theirs if key in ours
             and list(ours[key].arguments.items()) != list(theirs[key].arguments.items())}
    assert ours and wrong == {}


@pytest.mark.parametrize('name', OTHERS)
def test_same_equations_and_shapes(folders, name):
    ours, theirs = folders[name].beside(folders[FIRST]), folders[FIRST].beside(folders[name])
    wrong = {key: (ours[key].blocks, theirs[key].blocks)
             for key in theirs if key in ours and ours[key].blocks != theirs[key].blocks}
    assert ours and wrong == {}


@pytest.mark.parametrize('name', NAMES)
def test_differences_are_real_and_have_a_reason(folders, name):
    folder = folders[name]
    for text, key in folder.keys().items():
        assert key, f'{text!r} is not of the form that tests/adapters/{FIRST}.py describes'
        assert len(folder.differences[text].split()) >= 3, f'{text} needs a reason'
        definition = folder.found.get(key['name'])
        if key['argument']:
            assert definition, text
            assert (key['argument'] in definition.arguments) == (key['no'] == ''), text
        elif key['block']:
            assert definition, text
        else:
            assert (definition is None) == (key['lacks'] == '-'), text


@pytest.mark.parametrize('name', NAMES)
def test_every_public_definition_has_a_docstring(folders, name):
    for stem, tree in folders[name].files.items():
        for node in ast.walk(tree):
            public = isinstance(node, (ast.FunctionDef, ast.ClassDef))
            if public and not node.name.startswith('_'):
                first = node.body[0]
                assigned = isinstance(first, ast.Assign) and ast.unparse(
                    first.targets[0]) == '__doc__'
                assert ast.get_docstring(node) or assigned, f'{stem}.py: {node.name}'


def test_the_scratch_classes_state_their_equations(folders):
    found = folders[FIRST].found
    scratch = ('rnn.RNNScratch', 'stacked.StackedRNNScratch', 'gru.GRUScratch', 'lstm.LSTMScratch',
               'birnn.BiRNNScratch', 'lm.RNNLMScratch')
    for name in (*scratch, 'rnn.RNN', 'gru.GRU', 'lstm.LSTM', 'birnn.BiRNN', 'birnn.BiGRU',
                 'birnn.BiLSTM', 'lm.RNNLM'):
        assert found[name].blocks.get('equation'), name
    for name in scratch:
        assert found[name].blocks.get('Shapes'), name
