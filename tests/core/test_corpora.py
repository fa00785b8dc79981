"""Corpora, against a server on this machine."""
import hashlib
import http.server
import re
import threading

import pytest

from d2lrnn.core import corpora

BOOK = 'The Time Traveller (for so it will be convenient to speak of him).\n' * 50


class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.server.requests += 1
        status, body, promised = self.server.answer
        self.send_response(status)
        self.send_header('Content-Length', str(promised or len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture
def server(monkeypatch, tmp_path):
    """Serve BOOK in place of The Time Machine, and count the requests."""
    httpd = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
    httpd.requests, httpd.answer = 0, (200, BOOK.encode(), None)
    threading.Thread(target=httpd.serve_forever, args=(0.01,), daemon=True).start()
    monkeypatch.setattr(corpora, 'TIME_MACHINE_URL', f'http://127.0.0.1:{httpd.server_port}/book')
    monkeypatch.setattr(corpora, 'TIME_MACHINE_SHA1', hashlib.sha1(BOOK.encode()).hexdigest())
    monkeypatch.setenv('NO_PROXY', '127.0.0.1')
    monkeypatch.setenv('D2LRNN_DATA', str(tmp_path / 'cache'))
    monkeypatch.delenv('D2LRNN_OFFLINE', raising=False)
    monkeypatch.setattr('pooch.core.time.sleep', lambda seconds: None)  # between two tries
    yield httpd
    httpd.shutdown()
    httpd.server_close()


def cached(tmp_path):
    return sorted(path.name for path in (tmp_path / 'cache').glob('*'))


def test_download_is_checked_and_kept(server, tmp_path):
    corpus = corpora.time_machine()
    assert corpus == corpora.Corpus('The Time Machine', BOOK, 'download',
                                    tmp_path / 'cache' / 'timemachine.txt')
    assert cached(tmp_path) == ['timemachine.txt']
    assert corpora.time_machine().origin == 'cache' and server.requests == 1


def test_cached_file_needs_no_server(server, tmp_path):
    (tmp_path / 'cache').mkdir()
    (tmp_path / 'cache' / 'timemachine.txt').write_text(BOOK)
    assert corpora.time_machine() == corpora.Corpus('The Time Machine', BOOK, 'cache',
                                                    tmp_path / 'cache' / 'timemachine.txt')
    assert server.requests == 0


def test_damaged_file_is_replaced(server, tmp_path):
    (tmp_path / 'cache').mkdir()
    (tmp_path / 'cache' / 'timemachine.txt').write_text(BOOK[:100])
    assert corpora.time_machine().origin == 'download'
    assert (tmp_path / 'cache' / 'timemachine.txt').read_text() == BOOK


@pytest.mark.parametrize('answer', [(200, b'<html>Sign in to the network</html>', None),
                                    (200, BOOK.encode()[:200], len(BOOK)),
                                    (500, b'broken', None), (404, b'', None)])
def test_what_is_not_the_book_is_refused_and_not_left_behind(server, tmp_path, answer):
    server.answer = answer
    with pytest.warns(UserWarning, match='the download failed: '):
        corpus = corpora.time_machine()
    assert corpus.origin == 'embedded' and cached(tmp_path) == []
    assert server.requests == 3  # once, and two more tries
    server.answer = (200, BOOK.encode(), None)
    assert corpora.time_machine().origin == 'download'


def test_a_server_that_recovers_is_asked_again(server, tmp_path, monkeypatch):
    server.answer = (503, b'later', None)
    monkeypatch.setattr('pooch.core.time.sleep', lambda seconds: setattr(
        server, 'answer', (200, BOOK.encode(), None)))
    assert corpora.time_machine().origin == 'download' and server.requests == 2


def test_a_damaged_file_and_no_server(server, tmp_path):
    (tmp_path / 'cache').mkdir()
    damaged = tmp_path / 'cache' / 'timemachine.txt'
    damaged.write_text(BOOK[:100])
    server.answer = (500, b'', None)
    with pytest.warns(UserWarning, match=f'{re.escape(str(damaged))} is damaged, and the download'):
        assert corpora.time_machine().origin == 'embedded'


@pytest.mark.parametrize('offline', [False, True])
def test_fallback_says_why_and_what_to_do(monkeypatch, tmp_path, offline):
    monkeypatch.setenv('D2LRNN_DATA', str(tmp_path))
    monkeypatch.setenv('D2LRNN_OFFLINE', '1' if offline else '0')
    monkeypatch.setenv('NO_PROXY', '127.0.0.1')
    monkeypatch.setattr('pooch.core.time.sleep', lambda seconds: None)
    monkeypatch.setattr(corpora, 'TIME_MACHINE_URL', 'http://127.0.0.1:9/nobody-listens')
    with pytest.warns(UserWarning) as caught:
        corpus = corpora.time_machine()
    assert corpus.name == 'Tides (embedded text)' and corpus.origin == 'embedded'
    assert corpus.path == corpora.EMBEDDED and len(corpus.text) >= 40000
    message = str(caught[0].message)
    for part in ('D2LRNN_OFFLINE is set' if offline else 'Connection', 'embedded text "Tides"',
                 'perplexities differ', 'connect to the network', corpora.TIME_MACHINE_SHA1,
                 str(tmp_path), 'D2LRNN_DATA'):
        assert part in message


def test_offline_still_reads_the_cache(server, tmp_path, monkeypatch):
    monkeypatch.setenv('D2LRNN_OFFLINE', '1')
    (tmp_path / 'cache').mkdir()
    (tmp_path / 'cache' / 'timemachine.txt').write_text(BOOK)
    assert corpora.time_machine().origin == 'cache' and server.requests == 0


def test_cache_folder(monkeypatch, tmp_path):
    monkeypatch.setenv('D2LRNN_DATA', str(tmp_path / 'set'))
    assert corpora.cache_dir() == tmp_path / 'set'
    assert corpora.cache_dir(tmp_path / 'asked') == tmp_path / 'asked'
    monkeypatch.delenv('D2LRNN_DATA')
    assert corpora.cache_dir().name == 'd2lrnn' and corpora.cache_dir().is_absolute()


def test_embedded_text_is_what_its_licence_says():
    text = corpora.EMBEDDED.read_bytes()
    assert text.isascii() and text.endswith(b'\n') and b'\r' not in text
    assert hashlib.sha256(text).hexdigest() in (corpora.EMBEDDED.parent / 'LICENSE.md').read_text()
    windows = len(re.sub('[^A-Za-z]+', ' ', text.decode())) - 32
    assert windows >= 10000 + 32 + 5000  # the chapters' sizes


def test_any_file_can_be_downloaded(server, tmp_path):
    url = corpora.TIME_MACHINE_URL
    for _ in range(2):
        path = corpora.download(url, tmp_path / 'else', corpora.TIME_MACHINE_SHA1)
        assert path == str(tmp_path / 'else' / 'book') and server.requests == 1
    assert corpora.download(url) == str(tmp_path / 'cache' / 'book')
    assert (tmp_path / 'cache' / 'book').read_text() == BOOK
    with pytest.raises(ValueError, match='hash'):
        corpora.download(url, tmp_path / 'third', '0' * 40)
    assert not list((tmp_path / 'third').glob('*'))


def test_no_download_offline(server, monkeypatch, tmp_path):
    monkeypatch.setenv('D2LRNN_OFFLINE', '1')
    with pytest.raises(ConnectionError, match='D2LRNN_OFFLINE is set'):
        corpora.download(corpora.TIME_MACHINE_URL)
    assert server.requests == 0
