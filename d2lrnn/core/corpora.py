"""Corpora: a cached file, else a download, else the embedded text with a warning."""
import hashlib
import os
import warnings
from dataclasses import dataclass
from pathlib import Path

DATA_URL = 'https://d2l-data.s3-accelerate.amazonaws.com/'
TIME_MACHINE_URL = DATA_URL + 'timemachine.txt'
TIME_MACHINE_SHA1 = '090b5e7e70c295757f55df93cb0a180b9691891a'
EMBEDDED = Path(__file__).parents[1] / 'corpora' / 'tides.txt'


@dataclass(frozen=True)
class Corpus:
    """A text and where it came from.

    Args:
        name: as it stands in plots and in the book.
        text: the raw text.
        origin: 'cache', 'download' or 'embedded'.
        path: the file the text was read from.
    """
    name: str
    text: str
    origin: str
    path: Path


def cache_dir(root=None):
    """Return the folder of downloaded files: `root`, else $D2LRNN_DATA, else the user's cache.

    Args:
        root: a folder to use instead of the default.
    """
    pooch = _pooch()
    return Path(root or os.environ.get('D2LRNN_DATA') or pooch.os_cache('d2lrnn'))


def time_machine(root=None):
    """Return H. G. Wells' The Time Machine, or the embedded text with a warning.

    Args:
        root: folder of the cached file, as for `cache_dir`.

    Source: H. G. Wells (1895), The Time Machine; the file is the one that d2l's data bucket has.
    """
    path = cache_dir(root) / 'timemachine.txt'
    name = 'The Time Machine'
    if _has_hash(path, TIME_MACHINE_SHA1):
        return Corpus(name, path.read_text(encoding='utf-8'), 'cache', path)
    damaged = f'{path} is damaged, and ' if path.exists() else ''
    try:
        _fetch(TIME_MACHINE_URL, path, TIME_MACHINE_SHA1)
    except Exception as error:  # pooch lets through what its transport raises
        _warn(f'{damaged}the download failed: {type(error).__name__}: {error}', path.parent)
        return embedded()
    return Corpus(name, path.read_text(encoding='utf-8'), 'download', path)


def download(url, folder=None, sha1_hash=None):
    """Return the path of a file, downloaded unless the folder has it.

    Args:
        url: of the file.
        folder: of the cached file, as for `cache_dir`.
        sha1_hash: of its bytes; None does not check them.

    Raises:
        ConnectionError: D2LRNN_OFFLINE is set. ValueError: the file has another hash.
    """
    path = cache_dir(folder) / url.rsplit('/', 1)[-1]
    if not _has_hash(path, sha1_hash):
        _fetch(url, path, sha1_hash)
    return str(path)


def embedded():
    """Return the embedded text, "Tides": prose of our own, in the public domain."""
    return Corpus('Tides (embedded text)', EMBEDDED.read_text(encoding='utf-8'), 'embedded',
                  EMBEDDED)


def _pooch():
    with warnings.catch_warnings():  # that a notebook without ipywidgets gets a plain bar
        warnings.filterwarnings('ignore', message='IProgress not found')
        import pooch
        return pooch


def _has_hash(path, sha1):
    return path.is_file() and sha1 in (None, hashlib.sha1(path.read_bytes()).hexdigest())


def _fetch(url, path, sha1):
    if os.environ.get('D2LRNN_OFFLINE', '0') not in ('', '0'):
        raise ConnectionError('D2LRNN_OFFLINE is set')
    pooch = _pooch()
    downloader = pooch.HTTPDownloader(progressbar=True, timeout=20)
    pooch.create(path.parent, base_url='', registry={path.name: sha1 and f'sha1:{sha1}'},
                 urls={path.name: url}, retry_if_failed=2,
                 ).fetch(path.name, downloader=downloader)


def _warn(why, folder):
    warnings.warn(f'The Time Machine is not to be had: {why}. Using the embedded text "Tides" '
                  'instead, so perplexities differ from the book\'s. To train on The Time Machine, '
                  'connect to the network, or put timemachine.txt (SHA-1 '
                  f'{TIME_MACHINE_SHA1}) into {folder}, or set D2LRNN_DATA to the folder that has '
                  'it.', stacklevel=3)
