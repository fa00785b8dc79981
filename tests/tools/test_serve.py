"""The server of the rendered book."""
import re
import signal
import socket
import subprocess
import sys
import urllib.request

import pytest

from tools import serve
from tools.paths import HERE


@pytest.fixture
def taken():
    with socket.socket() as listening:
        listening.bind((serve.HOST, 0))
        listening.listen()
        yield listening.getsockname()[1]


def test_port_in_use(taken):
    with pytest.raises(serve.PortError, match=f'Port {taken} cannot be used.*--port N'):
        serve.check(taken)


def test_any_free_port_where_the_usual_is_taken(taken, tmp_path, monkeypatch):
    monkeypatch.setattr(serve, 'USUAL', taken)
    with serve.open_server(tmp_path) as server:
        assert server.server_address[1] not in (0, taken)


def test_serves_this_machine_until_interrupted(tmp_path):
    (tmp_path / 'index.html').write_text('<p>here</p>')
    code = f'from tools.serve import serve; serve({str(tmp_path)!r})'
    with subprocess.Popen([sys.executable, '-u', '-c', code], cwd=HERE.root, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                          preexec_fn=lambda: signal.signal(
                              signal.SIGINT, signal.default_int_handler)) as process:
        address = re.search(r'http://127\.0\.0\.1:\d+/', process.stdout.readline())[0]
        with urllib.request.urlopen(address, timeout=10) as answer:
            assert answer.read() == b'<p>here</p>'
            assert answer.headers['Cache-Control'] == 'no-cache'
        process.send_signal(signal.SIGINT)
        assert process.wait(10) == 0
        assert process.stderr.read() == ''
