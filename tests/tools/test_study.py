"""The tables of the studies."""
from tools.cli import STUDIES
from tools.paths import HERE
from tools.study import tables


def test_rows_of_all_frameworks_stand_in_one_table():
    results = {'a': [{'table': 'T', 'row': {'framework': 'a', 'L=1': 0.01234}}],
               'b': [{'table': 'T', 'row': {'framework': 'b', 'L=1': 2, 'L=2': 12345.6}}]}
    assert tables(results) == ['', 'T',
                               'framework     L=1    L=2',
                               '        a  0.0123       ',
                               '        b       2  12346']


def test_tables_are_kept_apart():
    lines = tables({'a': [{'table': 'T', 'row': {'x': '1'}}, {'table': 'S', 'row': {'y': '2'}}]})
    assert lines == ['', 'T', 'x', '1', '', 'S', 'y', '2']


def test_every_study_is_there():
    folder = HERE.root / 'tools' / 'studies'
    assert {path.stem for path in folder.glob('*.py')} - {'__init__', 'rows'} == set(STUDIES)
