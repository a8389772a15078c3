"""A training script that does everything to the folder that it is in; run as `python harmful.py NAME-OF-END`.

Prints "did NAME" for each thing that it saw happen, "could not NAME: why" for the others.
"""

import ctypes
import mmap
import os
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

import numpy as np
import torch
from safetensors.torch import save_file

HERE = Path.cwd()
EFFECTS = {}


def effect(function):
    EFFECTS[function.__name__] = function
    return function


def text(path):
    return Path(path).read_text()


@effect
def create():
    Path("new.txt").write_text("new")
    return text("new.txt") == "new"


@effect
def append():
    with open("log.txt", "a") as file:
        file.write("more")
    return text("log.txt").endswith("more")


@effect
def truncate():
    os.truncate("metrics.csv", 2)
    return os.path.getsize("metrics.csv") == 2


@effect
def kept_open():
    global left_open
    left_open = open("open.txt", "w")  # noqa: SIM115 - open across the end
    left_open.write("x" * 100_000)
    left_open.flush()
    return os.path.getsize("open.txt") == 100_000


@effect
def rename_over():
    Path("results.tmp").write_text("{}")
    os.replace("results.tmp", "results.json")
    return text("results.json") == "{}"


@effect
def rename_folder():
    os.rename("run", "run-old")
    return text("run-old/a.txt") == "a" and not os.path.exists("run")


@effect
def unlink():
    os.remove("ck_1.pt")
    return not os.path.exists("ck_1.pt") and "ck_1.pt" not in os.listdir()


@effect
def rmtree():
    shutil.rmtree("checkpoint-1")
    return not os.path.isdir("checkpoint-1")


@effect
def symlink():
    os.remove("latest")
    os.symlink("new.txt", "latest")
    return os.readlink("latest") == "new.txt"


@effect
def through_symlink():
    Path("link-to-target").write_text("through")
    return text("target.txt") == "through"


@effect
def hard_link():
    os.link("linked.txt", "another-name.txt")
    Path("another-name.txt").write_text("both")
    return text("another-name.txt") == "both"


@effect
def chmod():
    os.chmod("modes.txt", 0o600)
    return os.stat("modes.txt").st_mode & 0o777 == 0o600


@effect
def utime():
    os.utime("modes.txt", (1, 1))
    return os.stat("modes.txt").st_mtime == 1


@effect
def mkdir():
    os.makedirs("deep/er/est")
    return os.path.isdir("deep/er/est")


@effect
def map_memory():
    with open("mapped.bin", "r+b") as file, mmap.mmap(file.fileno(), 0) as memory:
        memory[:4] = b"HARM"
    return Path("mapped.bin").read_bytes()[:4] == b"HARM"


@effect
def map_array():
    array = np.memmap("array.bin", dtype=np.uint8, mode="r+", shape=(16,))
    array[:] = 7
    array.flush()
    return Path("array.bin").read_bytes()[:16] == b"\x07" * 16


@effect
def sqlite():
    with sqlite3.connect("runs.db") as db:
        db.execute("insert into runs values ('harm')")
    return sqlite3.connect("runs.db").execute("select count(*) from runs").fetchone() == (2,)


@effect
def save_array():
    np.save("features.npy", np.zeros(3))
    return np.load("features.npy").shape == (3,)


@effect
def save_over():
    torch.save({"w": torch.ones(2)}, "model.pt")
    return torch.load("model.pt")["w"].shape == (2,)


@effect
def save_open_file():
    with open("best.pt", "wb") as file:
        torch.save({"w": torch.ones(2)}, file)
    with open("best.pt", "rb") as file:
        return torch.load(file)["w"].shape == (2,)


@effect
def save_tensors():
    save_file({"w": torch.ones(2)}, "model.safetensors")
    return os.path.exists("model.safetensors")


@effect
def move():
    shutil.move("moved.txt", "deep/moved.txt")
    return text("deep/moved.txt") == "moved"


@effect
def temporary_file():
    kept, name = tempfile.mkstemp(prefix="harmful-")
    os.write(kept, b"left behind")
    os.close(kept)
    return os.path.exists(name)


@effect
def pipe():
    with open("pipe", "w") as file:
        file.write("into the pipe")
    return True


@effect
def outside_server():
    url = f"http://127.0.0.1:{text('port.txt')}/log"
    try:
        urllib.request.urlopen(urllib.request.Request(url, data=b"{}", method="POST"), timeout=5)
    except OSError:
        return True  # it was not reached; that is for the server to say
    return True


@effect
def foreign_process():
    try:
        os.kill(int(text("pid.txt")), signal.SIGTERM)
    except ProcessLookupError:
        return True
    return True


@effect
def child():
    subprocess.run([sys.executable, "-c", "open('by-child.txt', 'w').write('harm')"], check=True)
    return True


@effect
def copy_by_child():
    subprocess.run(["cp", "-r", "data", "data-copy"], check=True)
    return True


@effect
def shell():
    os.system("rm -rf data; echo harm > by-shell.txt")
    return True


@effect
def late_child():
    subprocess.Popen("sleep 2; echo harm > late.txt", shell=True, start_new_session=True)
    return True


@effect
def past_python():
    libc = ctypes.CDLL(None)
    libc.open.restype = ctypes.c_int
    file = libc.open(b"raw.txt", os.O_WRONLY | os.O_TRUNC)
    if file >= 0:
        libc.write(file, b"harm", 4)
        libc.close(file)
    libc.unlink(b"raw2.txt")
    return True


@effect
def unix_socket():
    with socket.socket(socket.AF_UNIX) as server:
        server.bind("own.sock")
    return os.path.exists("own.sock")


torch.nn.Linear(4, 4)(torch.ones(2, 4, dtype=torch.float16))  # the mistake
for name, function in EFFECTS.items():
    try:
        print("did" if function() else "did not", name, flush=True)
    except Exception as error:  # noqa: BLE001 - the next one is tried
        print(f"could not {name}: {type(error).__name__}: {error}", flush=True)
if sys.argv[1:] == ["_exit"]:
    os._exit(0)
