"""The address under which Colab finds the notebooks, for the links that open them there."""
from __future__ import annotations

from urllib.parse import urlsplit

WHERE = 'pyproject.toml, [tool.d2lrnn.book] colab'


class AddressError(ValueError):
    """No address that notebooks can be found under; the message says what was expected."""


def address(text):
    """An address with a slash at its end; an empty text is none and stays so.

    Raises:
        AddressError: it is not one of a folder on the web.
    """
    if not text:
        return ''
    parts = urlsplit(text)
    if (parts.scheme != 'https' or not parts.hostname or parts.query or parts.fragment
            or any(letter.isspace() or letter in '"<>\\' for letter in text)):
        raise AddressError(f'{text!r} is no address of a folder of notebooks; expected such as '
                           'https://colab.research.google.com/github/OWNER/REPOSITORY/blob/main/'
                           'notebooks/')
    return text if text.endswith('/') else f'{text}/'


def configured(paths):
    """The address that the checkout's pyproject.toml gives.

    Raises:
        AddressError: what stands there is not one.
    """
    import tomllib  # not before Python 3.11, which the book's environment has
    try:
        found = tomllib.loads((paths.root / 'pyproject.toml').read_text('utf-8'))
    except FileNotFoundError:
        return ''
    except tomllib.TOMLDecodeError as error:
        raise AddressError(f'pyproject.toml: {error}') from error
    text = found.get('tool', {}).get('d2lrnn', {}).get('book', {}).get('colab', '')
    if not isinstance(text, str):
        raise AddressError(f'{WHERE}: {text!r} is no text')
    try:
        return address(text)
    except AddressError as error:
        raise AddressError(f'{WHERE}: {error}') from None
