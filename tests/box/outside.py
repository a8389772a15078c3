"""The world outside, as a process of its own: a model hub and a listener, which write down all that arrives.

    python outside.py LOG    ->    prints the ports (HTTP, UDP) and the path of its AF_UNIX socket
"""

from __future__ import annotations

import json
import socket
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "1" * 40
FILES = {
    "config.json": b'{"model_type": "bert", "hidden_size": 32, "num_attention_heads": 2}',
    "sub/words.txt": b"some words\n",
}
LOG = open(sys.argv[1], "a", buffering=1)  # noqa: SIM115


class Hub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status=200, body=b"", **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        if "Content_Length" not in headers:
            self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def do_GET(self):
        LOG.write(f"{self.command} {self.path}\n")
        path = self.path.partition("?")[0]
        if path.startswith("/api/models/ann/tiny"):
            names = [{"rfilename": name} for name in FILES]
            tree = [{"type": "file", "path": n, "size": len(b), "oid": "0" * 40} for n, b in FILES.items()]
            info = {"id": "ann/tiny", "sha": COMMIT, "siblings": names, "tags": [], "private": False, "downloads": 3}
            self.answer(body=json.dumps(tree if "/tree/" in path else info).encode(), Content_Type="application/json")
            return
        repo, _, name = path.partition("/resolve/")
        name = name.partition("/")[2]
        if repo == "/ann/tiny" and name in FILES:
            body = FILES[name]
            headers = {"X_Repo_Commit": COMMIT, "ETag": f'"{len(body):040d}"', "Content_Length": str(len(body))}
            self.answer(body=body, **headers)
        elif repo == "/ann/tiny":
            self.answer(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
        elif path.startswith("/weights"):
            self.answer(body=b"weights")
        elif path.startswith(("/ann/secret", "/api/models/ann/secret")):
            self.answer(403, X_Error_Code="GatedRepo")
        else:
            self.answer(404, X_Error_Code="RepoNotFound")

    do_HEAD = do_GET  # noqa: N815 - as http.server calls it

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        LOG.write(f"{self.command} {self.path} {body[:60]!r}\n")
        files = [{"type": "file", "path": n, "size": 9, "oid": "0" * 40} for n in FILES if n.encode() in body]
        self.answer(body=json.dumps(files).encode() if "paths-info" in self.path else b"real")

    do_PUT = do_PATCH = do_DELETE = do_POST  # noqa: N815 - the same

    def log_message(self, *_):
        pass


def listen(sock):
    while True:
        LOG.write(f"{sock.family.name} {sock.recv(1000)!r}\n")


server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
udp.bind(("127.0.0.1", 0))
unix = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
unix.bind(f"{sys.argv[1]}.sock")
for sock in (udp, unix):
    threading.Thread(target=listen, args=[sock], daemon=True).start()
print(server.server_port, udp.getsockname()[1], unix.getsockname(), flush=True)
server.serve_forever()
