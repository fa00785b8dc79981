"""Pictures for notebooks."""
import pytest

from tools import pictures


def test_pictures_are_drawn_once(tmp_path, monkeypatch):
    svg = '<svg xmlns="http://www.w3.org/2000/svg" width="{}pt" height="9pt"/>'
    several = [svg.format(width) for width in range(9, 9 + 3 * pictures.BATCH)]
    first = pictures.Pictures(tmp_path)
    first.begin(several)
    first.end()
    assert {path.suffix for path in tmp_path.iterdir()} == {'.png'}
    monkeypatch.setattr(pictures, 'draw', lambda svg: pytest.fail('drawn again'))
    content, width, height = pictures.Pictures(tmp_path).png(several[-1])
    assert (width, height) == (43, 12)  # 32 by 9 points
    again = pictures.Pictures(tmp_path)
    again.png(several[0])
    again.forget()
    assert len(list(tmp_path.iterdir())) == 1


def test_picture_that_cannot_be_drawn(tmp_path):
    (tmp_path / 'a.svg').write_text('<svg')
    (tmp_path / 'a.bmp').write_text('')
    found = pictures.Pictures(tmp_path / 'drawn')
    found.begin(['<svg'] * (2 * pictures.BATCH))
    found.end()
    for name, message in (('a.svg', 'cannot be drawn'), ('a.bmp', 'expected one of .svg, .png')):
        with pytest.raises(pictures.PictureError, match=message):
            found.tag(tmp_path / name, '')
