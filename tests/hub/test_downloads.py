"""What is downloaded into the user's cache is there as a whole or not at all."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, HTTPServer

import pytest

from miscast.box.network.hub import answer

WEIGHTS = bytes(range(256)) * 512


class Server(BaseHTTPRequestHandler):
    """Gives all that it announces, or, under `/short`, half of it."""

    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Length", str(len(WEIGHTS)))
        self.end_headers()
        self.wfile.write(WEIGHTS[: len(WEIGHTS) // 2] if self.path.startswith("/short") else WEIGHTS)

    def log_message(self, *_):
        """Nothing."""


@pytest.fixture
def address(tmp_path, monkeypatch):
    monkeypatch.setenv("TORCH_HOME", str(tmp_path))
    server = HTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def _asked(url):
    return answer({"hub": "torch_hub", "arguments": {"url": url}})


def test_a_whole_file_is_kept(address, tmp_path):
    path = _asked(f"{address}/net-0123456789.pth")["path"]
    with open(path, "rb") as file:
        assert file.read() == WEIGHTS
    assert path == str(tmp_path / "hub/checkpoints/net-0123456789.pth")


def test_of_a_download_that_ends_early_nothing_is_kept(address, tmp_path):
    assert _asked(f"{address}/short-0123456789.pth")["error"] == "ConnectionError"
    assert list((tmp_path / "hub/checkpoints").iterdir()) == []
