"""The requirements files, and what their headers say."""
import re

import pytest
from d2lrnn import BACKENDS

from tools import pins
from tools.paths import BOOK, HERE

NAMES = [BOOK, *(row.module for row in BACKENDS)]


def write(tmp_path, text):
    path = tmp_path / 'some.txt'
    path.write_text(text)
    return path


@pytest.mark.parametrize('name', NAMES)
def test_environment_has_exact_pins(name):
    found = pins.read(HERE.requirements / f'{name}.txt')
    assert len(found.lines) > 30
    assert not [line for line in found.lines if re.search('cuda|nvidia', line)]


@pytest.mark.parametrize('name', NAMES)
def test_every_limit_has_a_reason(name):
    found = pins.read(HERE.requirements / f'{name}.txt')
    assert found.limits and all(reason for _, _, reason in found.limits)


def test_no_tool_names_a_framework():
    words = '|'.join(word for row in BACKENDS for word in {row.module, row.tab, row.title})
    for path in sorted((HERE.root / 'tools').glob('*.py')):
        found = re.search(rf'\b({words})\b', path.read_text(encoding='utf-8'))
        assert not found, f'{path.name} names {found[0]}'


def test_python_that_does_not_suit(tmp_path):
    found = pins.read(write(tmp_path, '# requires-python: >=3.9,<3.12\n# because: it is old\n'))
    assert found.unsuitable((3, 9)) is None
    assert found.unsuitable((3, 11)) is None
    assert found.unsuitable((3, 8)) == 'Python >=3.9,<3.12 is needed, this is 3.8: it is old'
    assert 'this is 3.12' in found.unsuitable((3, 12))


def test_platform_without_a_build(tmp_path):
    found = pins.read(write(tmp_path, '# no-build: macosx-*-arm64\n# because: never built\n'))
    assert found.unsuitable(platform='linux-x86_64') is None
    assert found.unsuitable(platform='macosx-14.0-arm64') == (
        'not for macosx-14.0-arm64: never built')


def test_digest_is_of_the_pins_alone(tmp_path):
    first = pins.read(write(tmp_path, '# a remark\na==1\nb==2\n')).digest()
    assert pins.read(write(tmp_path, '# another\nb==2\na==1\n')).digest() == first
    assert pins.read(write(tmp_path, 'a==1\nb==3\n')).digest() != first


def test_versions_that_readers_see(tmp_path):
    found = pins.read(write(tmp_path, '# shows: The-B=b A=a\na==1\nb==2.0; sys_platform == "x"\n'))
    assert found.versions() == 'The-B 2.0, A 1'
    for row in BACKENDS:
        shown = pins.read(HERE.requirements / f'{row.module}.txt').versions()
        assert re.match(rf'{row.title} \d', shown)


@pytest.mark.parametrize('text, message', [
    ('a==1\nb>=2\n', r"some.txt:2: 'b>=2' is no exact pin; expected name==version"),
    ('a==1.*\n', r'some.txt:1: .* is no exact pin'),
    ('-r other.txt\n', r'some.txt:1: .* is no exact pin'),
    ('# requires-python: 3.9\n', r'some.txt:1: .*expected such as >=3.9,<3.12'),
    ('# because: of this\n', r'some.txt:1: a reason without a limit'),
    ('# env: NAME\n', r'some.txt:1: .*expected NAME=value'),
    ('# shows: a\na==1\n', r'some.txt:1: .*expected Name=package'),
    ('# shows: A=a B=b\na==1\n', r'some.txt: shows b, which it does not pin')])
def test_bad_lines_are_named(tmp_path, text, message):
    with pytest.raises(pins.PinsError, match=message):
        pins.read(write(tmp_path, text))


def test_missing_file_is_named(tmp_path):
    with pytest.raises(pins.PinsError, match='other.txt: missing'):
        pins.read(tmp_path / 'other.txt')
