"""What programs do to files: each runs in a prepared tree (`box_tree.py`) and says what it must see itself.

`@case(...)` gives the effects that must be told, as "written a.txt"; a program without any must be told of none.
"""

from __future__ import annotations

import asyncio
import builtins
import errno
import fcntl
import glob
import importlib
import io
import json
import mmap
import multiprocessing
import os
import pathlib
import pickle
import shelve
import shutil
import signal
import sqlite3
import stat
import subprocess
import sys
import tarfile
import tempfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

CASES: dict[str, tuple[Callable[..., object], tuple[str, ...]]] = {}


def case(*effects: str) -> Callable[[Callable[..., object]], Callable[..., object]]:
    def add(program: Callable[..., object]) -> Callable[..., object]:
        CASES[program.__name__] = program, effects
        return program

    return add


def text(path) -> str:
    with open(path) as file:
        return file.read()


# ---------------------------------------------------------------- open


@case("written new.txt")
def create() -> None:
    with open("new.txt", "w") as file:
        file.write("new")
        assert file.name == "new.txt"
    assert text("new.txt") == "new"
    assert os.path.exists("new.txt")
    assert "new.txt" in os.listdir()


@case("written a.txt")
def truncate_by_open() -> None:
    with open("a.txt", "w"):
        pass
    assert os.path.getsize("a.txt") == 0


@case("written a.txt")
def append_and_read_back() -> None:
    with open("a.txt", "a") as file:
        file.write("more\n")
    assert text("a.txt") == "old a\nmore\n"
    with open("a.txt", "ab") as file:
        assert file.tell() == 11


@case("written a.txt")
def read_and_write() -> None:
    with open("a.txt", "r+b") as file:
        assert file.read(3) == b"old"
        file.seek(0)
        file.write(b"NEW")
    assert text("a.txt") == "NEW a\n"


@case("written x.txt")
def exclusive() -> None:
    with pytest.raises(FileExistsError):
        open("a.txt", "x")
    open("x.txt", "x").close()
    with pytest.raises(FileExistsError):
        open("x.txt", "x")


@case()
def same_bytes_again() -> None:
    with open("a.txt") as file:
        before = file.read()
    with open("a.txt", "w") as file:
        file.write(before)


@case()
def made_and_removed() -> None:
    open("gone.txt", "w").close()
    os.remove("gone.txt")
    assert not os.path.exists("gone.txt")
    with pytest.raises(FileNotFoundError):
        open("gone.txt")
    with pytest.raises(FileNotFoundError):
        open("no/such/folder.txt", "w")
    with pytest.raises(IsADirectoryError):
        open("ck_1", "w")


@case("written a.txt", "written b.txt", "written c.txt", "written d.txt")
def other_doors() -> None:
    io.open("a.txt", "w").close()
    fd = os.open(b"b.txt", os.O_WRONLY | os.O_CREAT, 0o600)
    os.write(fd, b"b")
    os.close(fd)
    assert stat.S_IMODE(os.stat("b.txt").st_mode) == 0o600
    with io.FileIO("c.txt", "w") as file:
        file.write(b"c")
    with open("c.txt", "rb") as file:
        assert isinstance(file.raw, io.FileIO)
    with open("d.txt", "w", opener=lambda path, flags: os.open(path, flags)) as file:
        file.write("d")
    assert text("d.txt") == "d"


@case("written a.txt")
def by_file_descriptor() -> None:
    fd = os.open("a.txt", os.O_RDWR)
    with os.fdopen(fd, "r+") as file:
        file.truncate(0)
    assert text(Path("a.txt")) == ""


@case("written a.txt")
def by_proc() -> None:
    fd = os.open("a.txt", os.O_RDONLY)
    with open(f"/proc/self/fd/{fd}", "w") as file:
        file.write("by proc")
    os.close(fd)
    assert text("a.txt") == "by proc"


# ---------------------------------------------------------------- removing, renaming


@case("deleted a.txt", "deleted note.md")
def unlink() -> None:
    os.remove("a.txt")
    Path("note.md").unlink()
    assert not os.path.exists("a.txt")
    assert not os.path.exists("link.txt") and os.path.lexists("link.txt")
    assert "a.txt" not in os.listdir(".")
    with pytest.raises(FileNotFoundError) as error:
        open("a.txt")
    assert error.value.filename == "a.txt"


@case("deleted ck_1")
def rmtree() -> None:
    shutil.rmtree("ck_1")
    assert not os.path.exists("ck_1/model.bin")
    assert not os.path.isdir("ck_1")
    with pytest.raises(FileNotFoundError):
        os.listdir("ck_1")


@case("deleted ck_1/config.json", "deleted ck_1/deep", "written ck_1/model.bin")
def rmtree_and_anew() -> None:
    shutil.rmtree("ck_1")
    os.makedirs("ck_1")
    assert os.listdir("ck_1") == []
    Path("ck_1/model.bin").write_bytes(b"anew")
    assert os.listdir("ck_1") == ["model.bin"]


@case("written ck_2/model.bin", "deleted ck_1")
def rotation() -> None:
    os.mkdir("ck_2")
    Path("ck_2/model.bin").write_bytes(b"2")
    shutil.rmtree("ck_1", ignore_errors=True)
    assert sorted(glob.glob("ck_*")) == ["ck_2"]
    assert [p.name for p in Path().glob("ck_*/*.bin")] == ["model.bin"]


@case("written config.json")
def atomic_save() -> None:
    with open("config.json.tmp", "w") as file:
        json.dump({"lr": 2}, file)
    os.replace("config.json.tmp", "config.json")
    assert json.loads(text("config.json")) == {"lr": 2}
    assert not os.path.exists("config.json.tmp")


@case("written note.md", "deleted a.txt")
def rename_over() -> None:
    os.rename("a.txt", "note.md")
    assert text("note.md") == "old a\n"
    assert not os.path.exists("a.txt")


@case("written ck_9", "deleted ck_1")
def rename_folder() -> None:
    os.rename("ck_1", "ck_9")
    assert sorted(os.listdir("ck_9")) == ["config.json", "deep", "model.bin"]
    assert text("ck_9/deep/x.txt") == "x"
    assert not os.path.exists("ck_1")


@case("written ck_9", "deleted ck_1")
def rename_folder_and_write() -> None:
    Path("ck_1/config.json").write_text("changed before")
    os.remove("ck_1/deep/x.txt")
    Path("ck_1").rename("ck_9")
    assert text("ck_9/config.json") == "changed before"
    assert os.listdir("ck_9/deep") == []
    with open("ck_9/config.json", "a") as file:
        file.write(" and after")
    assert text("ck_9/config.json") == "changed before and after"
    assert sorted(e.name for e in os.scandir("ck_9")) == ["config.json", "deep", "model.bin"]


@case("written note.md")
def swap_and_back() -> None:
    os.rename("a.txt", "b.txt")
    os.rename("b.txt", "a.txt")
    os.rename("note.md", "n")
    with open("n", "a") as file:
        file.write("x")
    os.rename("n", "note.md")
    assert text("note.md") == "note\nx"
    assert text("a.txt") == "old a\n"


@case("written moved/ck_1", "deleted ck_1")
def shutil_move() -> None:
    os.mkdir("moved")
    shutil.move("ck_1", "moved")
    assert os.path.isfile("moved/ck_1/model.bin")


@case("written copy/config.json", "written copy/deep/x.txt", "written copy/model.bin", "written b.txt")
def copies() -> None:
    shutil.copytree("ck_1", "copy")
    shutil.copy2("a.txt", "b.txt")
    assert text("b.txt") == "old a\n"
    assert os.stat("b.txt").st_mtime_ns == os.stat("a.txt").st_mtime_ns


@case()
def refusals() -> None:
    for code, act in (
        (errno.ENOTEMPTY, lambda: os.rmdir("ck_1")),
        (errno.ENOENT, lambda: os.remove("none")),
        (errno.EISDIR, lambda: os.remove("ck_1")),
        (errno.EEXIST, lambda: os.mkdir("ck_1")),
        (errno.ENOENT, lambda: os.mkdir("no/such")),
        (errno.ENOTEMPTY, lambda: os.rename("target", "ck_1")),
        (errno.EISDIR, lambda: os.rename("a.txt", "ck_1")),
        (errno.ENOTDIR, lambda: os.rename("ck_1", "a.txt")),
        (errno.EINVAL, lambda: os.rename("ck_1", "ck_1/inner")),
        (errno.EEXIST, lambda: os.symlink("a.txt", "note.md")),
        (errno.EEXIST, lambda: os.link("a.txt", "note.md")),
        (errno.ENOTDIR, lambda: os.rmdir("a.txt")),
        (errno.ENOENT, lambda: os.chmod("none", 0o600)),
        (errno.ENOTDIR, lambda: open("a.txt/x", "w")),
    ):
        with pytest.raises(OSError) as error:
            act()
        assert error.value.errno == code


# ---------------------------------------------------------------- links, modes, times


@case("written s", "written link.txt")
def symlinks() -> None:
    os.symlink("a.txt", "s")
    assert text("s") == "old a\n" and os.readlink("s") == "a.txt" and os.path.islink("s")
    os.symlink("note.md", "link.tmp")
    os.replace("link.tmp", "link.txt")
    assert text("link.txt") == "note\n"
    assert os.path.realpath("link.txt") == os.path.realpath("note.md")


@case("written a.txt", "written target/in_target.txt", "written target/new.txt")
def write_through_links() -> None:
    with open("link.txt", "w") as file:
        file.write("through")
    assert text("a.txt") == "through"
    Path("latest/new.txt").write_text("n")
    Path("latest/in_target.txt").write_text("changed")
    assert text("target/new.txt") == "n" and text("latest/in_target.txt") == "changed"
    assert sorted(os.listdir("latest")) == ["in_target.txt", "new.txt"]
    assert os.path.samefile("latest/new.txt", "target/new.txt")


@case("written latest")
def link_to_another_folder() -> None:
    os.unlink("latest")
    os.symlink("ck_1", "latest")
    assert text("latest/config.json") == "{}"
    assert not os.path.exists("latest/in_target.txt")
    assert text("latest/../a.txt") == "old a\n"


@case("written h")
def hard_link() -> None:
    os.link("a.txt", "h")
    assert os.path.samefile("a.txt", "h") and os.stat("h").st_nlink == 2


@case("written a.txt", "written h")
def hard_link_and_write() -> None:
    os.link("a.txt", "h")
    with open("h", "a") as file:
        file.write("both")
    assert text("a.txt") == text("h") == "old a\nboth"


@case("written hard_1")
def write_one_name_of_two() -> None:
    with open("hard_1", "w") as file:
        file.write("one")
    assert text("hard_2") == "one"


@case("written a.txt", "written ck_1")
def modes() -> None:
    os.chmod("a.txt", 0o600)
    os.chmod("ck_1", 0o700)
    assert stat.S_IMODE(os.stat("a.txt").st_mode) == 0o600
    assert stat.S_IMODE(Path("ck_1").stat().st_mode) == 0o700
    assert text("a.txt") == "old a\n" and os.path.exists("ck_1/model.bin")


@case("written a.txt", "written note.md")
def modes_by_fd() -> None:
    with open("a.txt") as file:
        os.fchmod(file.fileno(), 0o600)
        os.utime(file.fileno(), (1, 1))
    with open("note.md") as file:
        os.chmod(file.fileno(), 0o640)
    assert os.stat("a.txt").st_mtime == 1


@case("written a.txt", "written empty")
def times() -> None:
    os.utime("a.txt", (1, 2))
    Path("empty").touch()
    assert os.path.getmtime("a.txt") == 2


@case("written a.txt", "written new.txt")
def touch() -> None:
    Path("a.txt").touch()
    Path("new.txt").touch()


@case("written a.txt")
def attributes() -> None:
    os.setxattr("a.txt", "user.of", b"new")
    assert os.getxattr("a.txt", "user.of") == b"new"
    assert "user.of" in os.listxattr("a.txt")


@case("written a.txt")
def truncate() -> None:
    os.truncate("a.txt", 2)
    assert text("a.txt") == "ol"


# ---------------------------------------------------------------- folders, listings


@case("written d/e/f")
def folders() -> None:
    os.makedirs("d/e/f")
    os.makedirs("d/e/f", exist_ok=True)
    Path("d/e/f").mkdir(exist_ok=True)
    assert [f for _, f, _ in os.walk("d")] == [["e"], ["f"], []]


@case("written ck_1/new.bin", "deleted ck_1/model.bin")
def listings() -> None:
    Path("ck_1/new.bin").write_bytes(b"n")
    os.remove("ck_1/model.bin")
    names = ["config.json", "deep", "new.bin"]
    assert sorted(os.listdir("ck_1")) == names
    assert sorted(os.listdir(b"ck_1")) == [os.fsencode(n) for n in names]
    assert sorted(e.path for e in os.scandir("ck_1")) == [f"ck_1/{n}" for n in names]
    assert sorted(p.name for p in Path("ck_1").iterdir()) == names
    assert sorted(glob.glob("ck_1/*.bin")) == ["ck_1/new.bin"]
    assert sorted(str(p) for p in Path("ck_1").rglob("*")) == sorted([*(f"ck_1/{n}" for n in names), "ck_1/deep/x.txt"])
    assert {e.name: e.is_dir() for e in os.scandir("ck_1")}["deep"]
    fd = os.open("ck_1", os.O_RDONLY)
    assert sorted(os.listdir(fd)) == names
    assert os.stat("new.bin", dir_fd=fd).st_size == 1
    with pytest.raises(FileNotFoundError):
        os.stat("model.bin", dir_fd=fd)
    assert sorted(n for _, _, files, _ in os.fwalk("ck_1") for n in files) == ["config.json", "new.bin", "x.txt"]
    os.close(fd)


@case("written made/in.txt")
def change_folder() -> None:
    home = os.getcwd()
    os.mkdir("made")
    os.chdir("made")
    Path("in.txt").write_text("in")
    assert os.getcwd() == os.path.join(home, "made")
    assert text("../a.txt") == "old a\n" and Path.cwd().name == "made"
    assert text(os.path.abspath("in.txt")) == "in"
    os.chdir("..")
    assert os.getcwd() == home and text("made/in.txt") == "in"
    os.chdir("ck_1")
    assert text("../made/in.txt") == "in"
    os.chdir(home)


@case("written empty/x")
def by_dir_fd() -> None:
    fd = os.open("empty", os.O_RDONLY)
    os.close(os.open("x", os.O_WRONLY | os.O_CREAT, dir_fd=fd))
    os.mkdir("y", dir_fd=fd)
    os.rename("y", "z", src_dir_fd=fd, dst_dir_fd=fd)
    os.rmdir("z", dir_fd=fd)
    os.close(fd)
    assert os.listdir("empty") == ["x"]


@case()
def temporary() -> None:
    with tempfile.NamedTemporaryFile("w+", suffix=".txt") as file:
        file.write("t")
        file.flush()
        assert text(file.name) == "t"
    assert not os.path.exists(file.name)
    with tempfile.TemporaryDirectory() as folder:
        Path(folder, "x").write_text("x")
        assert os.listdir(folder) == ["x"]
    assert not os.path.exists(folder)
    with tempfile.TemporaryFile() as file:
        file.write(b"t")
    with tempfile.SpooledTemporaryFile(max_size=1) as file:
        file.write(b"two")


@case("written p/q.txt", "written p/r.txt", "deleted note.md")
def pathlib_variants() -> None:
    folder = Path("p")
    folder.mkdir(parents=True)
    (folder / "q.txt").write_text("q")
    with (folder / "s.txt").open("w") as file:
        file.write("s")
    (folder / "s.txt").replace(folder / "r.txt")
    Path("note.md").unlink()
    Path("none").unlink(missing_ok=True)
    assert not Path("note.md").exists() and (folder / "r.txt").is_file() and folder.is_dir()
    assert (folder / "q.txt").resolve() == Path.cwd() / "p" / "q.txt"
    assert pathlib.Path("link.txt").readlink() == Path("a.txt")


# ---------------------------------------------------------------- libraries


@case("written ck_1/model.bin")
def memory_map() -> None:
    with open("ck_1/model.bin", "r+b") as file, mmap.mmap(file.fileno(), 0) as mapped:
        mapped[:4] = b"mmap"
    assert Path("ck_1/model.bin").read_bytes()[:4] == b"mmap"


@case("written array.bin", "written n.npy", "written n.npz", "written raw.bin", "written t.csv")
def numpy_files() -> None:
    np = pytest.importorskip("numpy")
    mapped = np.memmap("array.bin", dtype="f8", mode="r+")
    mapped[0] = 5
    mapped.flush()
    assert np.fromfile("array.bin")[0] == 5
    np.save("n.npy", np.ones(2))
    np.savez("n.npz", a=np.ones(2))
    np.savetxt("t.csv", np.ones(2))
    np.ones(3).tofile("raw.bin")
    assert np.fromfile("raw.bin").sum() == 3 and np.load("n.npy").sum() == 2 and np.loadtxt("t.csv").sum() == 2
    assert np.lib.format.open_memmap("n.npy", mode="r+").shape == (2,)


@case("written base.db", "written new.db", "written note.md refused")
def databases() -> None:
    base = sqlite3.connect("base.db")
    base.execute("insert into t values (2)")
    base.commit()
    with pytest.raises(sqlite3.DatabaseError):
        base.execute("attach 'note.md' as other")
    base.close()
    again = sqlite3.connect(Path("base.db").absolute().as_uri() + "?mode=ro", uri=True)
    assert again.execute("select sum(x) from t").fetchone() == (3,)
    again.close()
    new = sqlite3.connect(Path("new.db"))
    new.execute("create table u (x)")
    new.commit()
    new.close()
    assert os.path.getsize("new.db") > 0


@case("written out.tar.gz", "written out.zip", "written un/a.txt")
def archives() -> None:
    with zipfile.ZipFile("out.zip", "w") as file:
        file.write("a.txt")
    with zipfile.ZipFile("out.zip") as file:
        file.extractall("un")
    assert text("un/a.txt") == "old a\n"
    with tarfile.open("out.tar.gz", "w:gz") as file:
        file.add("ck_1")
    with tarfile.open("out.tar.gz") as file:
        assert "ck_1/deep/x.txt" in file.getnames()


@case("written shelf*")
def shelves() -> None:
    with shelve.open("shelf") as shelf:
        shelf["a"] = 1
    with shelve.open("shelf") as shelf:
        assert shelf["a"] == 1


@case("written wrote_module_x.py", "written wrote_package_x/__init__.py", "written wrote_package_x/part.py")
def import_what_was_written() -> None:
    Path("wrote_module_x.py").write_text("VALUE = 3\n")
    os.mkdir("wrote_package_x")
    Path("wrote_package_x/__init__.py").touch()
    Path("wrote_package_x/part.py").write_text("from os import remove\nVALUE = 4\n")
    sys.path.insert(0, os.getcwd())
    importlib.invalidate_caches()
    try:
        assert importlib.import_module("wrote_module_x").VALUE == 3
        assert importlib.import_module("wrote_package_x.part").VALUE == 4
    finally:
        sys.path.pop(0)


@case("written h.h5", "deleted note.md")
def hdf5() -> None:
    h5py = pytest.importorskip("h5py")
    with h5py.File("h.h5", "w") as file:
        file["x"] = [1, 2]
    with h5py.File("h.h5", "a") as file:
        file["y"] = [3]
    with h5py.File("h.h5") as file:
        assert sorted(file) == ["x", "y"]
    os.remove("note.md")
    with pytest.raises(OSError):
        h5py.File("note.md", "r")


@case("written f.feather", "written o.bin", "written t.arrow", "written t.csv", "written t.parquet", "written w.parquet")
def arrow() -> None:
    pa = pytest.importorskip("pyarrow")
    import pyarrow.csv
    import pyarrow.feather
    import pyarrow.parquet as pq

    table = pa.table({"x": [1, 2]})
    pq.write_table(table, "t.parquet")
    assert pq.read_table("t.parquet").num_rows == 2 and pq.ParquetFile("t.parquet").metadata.num_rows == 2
    with pq.ParquetWriter("w.parquet", table.schema) as writer:
        writer.write_table(table)
    pyarrow.feather.write_feather(table, "f.feather")
    assert pyarrow.feather.read_table("f.feather").num_rows == 2
    pyarrow.csv.write_csv(table, "t.csv")
    with pa.OSFile("o.bin", "wb") as file:
        file.write(b"o")
    assert pa.memory_map("o.bin").read() == b"o"
    with pa.ipc.new_file("t.arrow", table.schema) as writer:
        writer.write_table(table)


@case("written t.safetensors", "written u.safetensors")
def safetensors_files() -> None:
    numpy = pytest.importorskip("numpy")
    safe = pytest.importorskip("safetensors.numpy")
    from safetensors import safe_open

    safe.save_file({"x": numpy.ones(2)}, "t.safetensors")
    assert safe.load_file("t.safetensors")["x"].sum() == 2
    Path("u.safetensors").write_bytes(safe.save({"x": numpy.ones(3)}))
    with safe_open("u.safetensors", framework="np") as file:
        assert list(file.keys()) == ["x"]


@case("written t.json")
def tokenizer_file() -> None:
    tokenizers = pytest.importorskip("tokenizers")
    made = tokenizers.Tokenizer(tokenizers.models.BPE())
    made.save("t.json")
    assert tokenizers.Tokenizer.from_file("t.json") is not None
    assert json.loads(text("t.json"))


@case("written array.bin", "written t.pt", "written z.pt")
def torch_files() -> None:
    torch = pytest.importorskip("torch")
    torch.save({"x": torch.ones(2)}, "t.pt")
    assert torch.load("t.pt")["x"].sum() == 2
    assert torch.load("t.pt", mmap=True)["x"].sum() == 2
    writer = torch._C.PyTorchFileWriter("z.pt")
    writer.write_end_of_file()
    mapped = torch.from_file("array.bin", shared=True, size=10, dtype=torch.float64)
    mapped.fill_(7)
    assert Path("array.bin").read_bytes() != bytes(80)
    storage = torch.UntypedStorage.from_file("array.bin", True, 80)
    storage.fill_(1)


@case("written logs/events*")
def event_files() -> None:
    writers = pytest.importorskip("tensorboard.summary.writer.event_file_writer")
    writer = writers.EventFileWriter("logs")
    writer.flush()
    writer.close()
    assert len(os.listdir("logs")) == 1


@case("written i.png")
def pictures() -> None:
    image = pytest.importorskip("PIL.Image")
    image.new("RGB", (2, 2)).save("i.png")
    with image.open("i.png") as picture:
        assert picture.size == (2, 2)


# ---------------------------------------------------------------- processes


@case("started cp -r ck_1 ck_3", "started sh -c 'rm -rf ck_1'", "started ./tool.sh", "started rm a.txt")
def commands() -> None:
    done = subprocess.run(["cp", "-r", "ck_1", "ck_3"], check=True, capture_output=True, text=True)
    assert done.stdout == "" and done.returncode == 0
    assert subprocess.check_output(["sh", "-c", "rm -rf ck_1"]) == b""
    subprocess.check_call(["./tool.sh"])
    with subprocess.Popen("rm a.txt", shell=True, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.communicate(b"x" * 100_000) == (b"", None)
    with pytest.raises(FileNotFoundError):
        subprocess.run(["no-such-program-here"])
    assert os.path.exists("ck_1")


@case("started touch z", "started touch y", "started touch x > w")
def shell_lines() -> None:
    assert os.system("touch z") == 0
    with os.popen("touch y") as out:
        assert out.read() == ""
    assert subprocess.getoutput("touch x > w") == ""


@case()
def commands_that_look() -> None:
    assert "git version" in subprocess.run(["git", "--version"], capture_output=True, text=True).stdout
    assert subprocess.check_output("uname | cat 2>/dev/null", shell=True).strip() == b"Linux"
    assert subprocess.getstatusoutput("false")[0] == 1
    assert os.system("true") == 0
    assert subprocess.getoutput("echo hi") == "hi"


@case("written new.txt")
def commands_look_at_the_layer() -> None:
    Path("new.txt").write_text("new")
    assert subprocess.check_output(["cat", "new.txt"]) == b"new"


@case("started touch z", "started touch y", "started touch x")
def other_starts() -> None:
    assert os.spawnvp(os.P_WAIT, "touch", ["touch", "z"]) == 0
    pid = os.spawnlp(os.P_NOWAIT, "touch", "touch", "y")
    assert os.waitpid(pid, 0)[1] == 0
    pid = os.posix_spawnp("touch", ["touch", "x"], os.environ)
    assert os.waitpid(pid, 0)[1] == 0


@case("started touch z")
def asyncio_child() -> None:
    async def main() -> tuple[bytes, int | None]:
        child = await asyncio.create_subprocess_exec("touch", "z", stdout=asyncio.subprocess.PIPE)
        out, _ = await child.communicate()
        return out, child.returncode

    assert asyncio.run(main()) == (b"", 0)


@case("written from_child.txt")
def forked_child() -> None:
    pid = os.fork()
    if not pid:
        try:
            with open("from_child.txt", "w") as file:
                file.write("c")
            os.remove("a.txt")
            os.execvp("touch", ["touch", "z"])
        finally:
            os._exit(3)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 0
    assert text("from_child.txt") == "c"


def _work(path: str) -> int:
    with open(path, "w") as file:
        return file.write("worker")


@case("written worker.txt")
def forked_worker() -> None:
    with multiprocessing.get_context("fork").Pool(1) as pool:
        assert pool.map(_work, ["worker.txt"]) == [6]
    assert text("worker.txt") == "worker"


@case()
def data_loader_workers() -> None:
    torch = pytest.importorskip("torch")
    data = torch.utils.data.TensorDataset(torch.ones(4, 2))
    loader = torch.utils.data.DataLoader(data, num_workers=1, timeout=20)
    assert [batch[0].shape[0] for batch in loader] == [1, 1, 1, 1]


@case("written pipe")
def named_pipe() -> None:
    with open("pipe", "w") as file:
        file.write("nobody reads")
    os.mkfifo("own")
    got: list[str] = []
    reader = threading.Thread(target=lambda: got.append(text("own")))
    reader.start()
    with open("own", "w") as file:
        file.write("read")
    reader.join()
    assert got == ["read"]
    os.remove("own")


@case("signal SIGTERM to process PARENT")
def signals() -> None:
    os.kill(os.getppid(), signal.SIGTERM)
    os.kill(os.getppid(), 0)
    with subprocess.Popen(["cat"], stdin=subprocess.PIPE) as child:
        child.kill()
        assert child.wait() == -signal.SIGKILL
    with pytest.raises(ProcessLookupError):
        os.kill(2**22 - 3, signal.SIGTERM)


# ---------------------------------------------------------------- ways around


@case("written a.txt", "written b.txt", "deleted note.md")
def the_module_behind_os() -> None:
    import posix

    posix.unlink("note.md")
    fd = posix.open("a.txt", os.O_WRONLY | os.O_TRUNC)
    posix.close(fd)
    posix.mkdir("d")
    posix.rmdir("d")
    import _io

    _io.open("b.txt", "w").close()
    assert builtins.open is _io.open


@case("written a.txt")
def another_spelling() -> None:
    for path in ("./a.txt", "ck_1/../a.txt", f"{os.getcwd()}//a.txt", "latest/../a.txt", "./latest/.././a.txt"):
        with open(path, "a") as file:
            file.write("+")
    assert text("a.txt") == "old a\n+++++"


@case("written a.txt refused")
def an_original_kept_from_before(kept) -> None:
    with pytest.raises(PermissionError, match=r"Miscast: blocked open of 'a\.txt'"):
        kept[0]("a.txt", "w")
    with pytest.raises(PermissionError, match="Miscast"):
        kept[1]("a.txt")
    with pytest.raises(PermissionError, match="Miscast"):
        kept[2]("a.txt", "ck_1/x.txt")


@case("written a.txt")
def pickled_functions() -> None:
    removed = pickle.loads(pickle.dumps(os.chmod))
    removed("a.txt", 0o600)


@case()
def locks() -> None:
    with open("a.txt.lock", "w") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
    os.remove("a.txt.lock")


@case("written ck_1/model.bin")
def open_then_rename_then_write() -> None:
    with open("ck_1/model.bin", "r+b") as file:
        os.rename("ck_1/model.bin", "m")
        file.write(b"late")
    assert Path("m").read_bytes()[:4] == b"late"
    os.rename("m", "ck_1/model.bin")


@case("written fresh/a", "deleted target/in_target.txt")
def folder_in_place_of_another() -> None:
    os.rename("target", "aside")
    os.mkdir("target")
    assert os.listdir("latest") == []
    shutil.rmtree("aside")
    os.mkdir("fresh")
    Path("fresh/a").touch()


@case("written a.txt/in.txt")
def folder_in_place_of_a_file() -> None:
    os.remove("a.txt")
    os.mkdir("a.txt")
    Path("a.txt/in.txt").touch()
    assert os.listdir("a.txt") == ["in.txt"]


@case("written ck_1")
def file_in_place_of_a_folder() -> None:
    shutil.rmtree("ck_1")
    Path("ck_1").write_text("a file")
    assert os.path.isfile("ck_1") and not os.path.exists("ck_1/model.bin")


@case("written dangling_target.txt", "written dangling")
def through_a_link_to_nowhere() -> None:
    os.symlink("dangling_target.txt", "dangling")
    with open("dangling", "w") as file:
        file.write("there")
    assert text("dangling_target.txt") == "there"


@case()
def links_in_a_circle() -> None:
    os.symlink("two", "one")
    os.symlink("one", "two")
    with pytest.raises(OSError) as error:
        open("one")
    assert error.value.errno == errno.ELOOP
    os.remove("one")
    os.remove("two")


@case()
def devices() -> None:
    with open(os.devnull, "w") as file:
        file.write("nothing")
    with open("/dev/urandom", "rb", 0) as file:
        assert len(file.read(4)) == 4


@case()
def cleaning_the_temporary_folder(layer) -> None:
    assert os.path.basename(layer.folder) not in os.listdir(os.path.dirname(layer.folder))


@case("written a.txt")
def from_threads() -> None:
    def add() -> None:
        for _ in range(50):
            with open("a.txt", "a") as file:
                file.write("x")
            os.stat("a.txt")

    threads = [threading.Thread(target=add) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(text("a.txt")) == 206
