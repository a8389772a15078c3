"""A folder of a user's, in every byte and time of it; and a server and a process that live outside of a check."""

from __future__ import annotations

import http.server
import os
import sqlite3
import stat
import subprocess
import sys
import tempfile
import threading
from contextlib import contextmanager
from pathlib import Path

import command


def grown(folder: Path) -> None:
    """What earlier real runs have left there."""
    files = {
        "log.txt": "log ", "metrics.csv": "step,loss\n", "open.txt": "open", "results.json": '{"real": 1}',
        "run/a.txt": "a", "ck_1.pt": "real checkpoint", "checkpoint-1/model.pt": "real", "target.txt": "target",
        "linked.txt": "linked", "modes.txt": "modes", "mapped.bin": "0" * 64, "array.bin": "0" * 64,
        "model.pt": "real model", "best.pt": "real best", "moved.txt": "moved", "data/x.txt": "x", "raw.txt": "raw",
        "raw2.txt": "raw2", "model.safetensors": "real tensors", "features.npy": "real features",
    }  # fmt: skip
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    os.symlink("log.txt", folder / "latest")
    os.symlink("target.txt", folder / "link-to-target")
    os.link(folder / "linked.txt", folder / "linked-too.txt")
    with sqlite3.connect(folder / "runs.db") as db:
        db.execute("create table runs (name text)")
        db.execute("insert into runs values ('real')")
    db.close()
    os.mkfifo(folder / "pipe")


def everything(folder: Path) -> dict[str, tuple[object, ...]]:
    """Each path with its kind, mode, owner, links, time and content."""
    found: dict[str, tuple[object, ...]] = {}
    for at, folders, files in os.walk(folder):
        for name in (".", *folders, *files):
            path = os.path.join(at, name)
            state = os.lstat(path)
            kind = stat.S_IFMT(state.st_mode)
            held = os.readlink(path) if kind == stat.S_IFLNK else b""
            if kind == stat.S_IFREG:
                held = Path(path).read_bytes()
            key = os.path.normpath(os.path.relpath(path, folder))
            found[key] = (state.st_mode, state.st_uid, state.st_nlink, state.st_mtime_ns, held)
    return found


@contextmanager
def outside(folder: Path):
    """A server that writes down what arrives, a process, and a reader of the pipe; their addresses are in files."""
    arrived: list[str] = []

    class Server(http.server.BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            arrived.append(self.path)
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Nothing: the tests look at `arrived`."""

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])
    (folder / "port.txt").write_text(str(server.server_port))
    (folder / "pid.txt").write_text(str(process.pid))
    reader = os.open(folder / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield arrived
        assert process.poll() is None, "a process of the user's was ended"
        assert not os.read(reader, 100), "a reader of a named pipe was sent something"
    finally:
        os.close(reader)
        process.kill()
        process.wait()
        server.shutdown()
        server.server_close()


def miscast_in(folder: Path, *args: object, box: str = "kernel", **environment: str) -> subprocess.CompletedProcess:
    """As `command.miscast_in`, in this kind of box; temporary files go to a folder beside."""
    temporary = folder.parent / "temporary"
    temporary.mkdir(exist_ok=True)
    around = {"MISCAST_BOX": box, "TMPDIR": str(temporary), **environment}
    around["TORCHINDUCTOR_CACHE_DIR"] = os.path.join(tempfile.gettempdir(), "torchinductor")
    return command.miscast_in(folder, *args, **around)


def left_behind(folder: Path) -> list[str]:
    """What a check left in the temporary folder."""
    return sorted(os.listdir(folder.parent / "temporary"))
