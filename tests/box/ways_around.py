"""Ways past the layer that somebody thought of: whatever comes of each, the disk must stay as it is."""

from __future__ import annotations

import asyncio
import codecs
import ctypes
import fileinput
import logging.handlers
import os
import pathlib
import shutil
import signal
import subprocess
import sys


def proc_cwd():
    open("/proc/self/cwd/a.txt", "w").close()
    assert os.path.getsize("a.txt") == 0


def proc_root():
    open("/proc/self/root" + os.path.abspath("a.txt"), "w").close()
    assert os.path.getsize("a.txt") == 0


def proc_fd_dir():
    fd = os.open(".", os.O_RDONLY)
    open(f"/proc/self/fd/{fd}/a.txt", "w").close()
    os.remove(f"/proc/self/fd/{fd}/note.md")
    assert not os.path.exists("note.md")
    os.close(fd)


def dev_fd():
    f = open("a.txt")
    open(f"/dev/fd/{f.fileno()}", "w").close()
    assert os.path.getsize("a.txt") == 0


def thread_self():
    os.unlink("/proc/thread-self/cwd/a.txt")


def fileinput_inplace():
    with fileinput.input("a.txt", inplace=True) as f:
        for l in f:
            print(l.upper(), end="")
    assert open("a.txt").read() == "OLD A\n"


def codecs_open():
    with codecs.open("a.txt", "w", "utf-8") as f:
        f.write("z")


def logger():
    h = logging.handlers.RotatingFileHandler("note.md", maxBytes=1, backupCount=2)
    l = logging.getLogger("x")
    l.addHandler(h)
    l.error("a")
    l.error("b")
    l.removeHandler(h)
    h.close()


def copymode():
    shutil.copymode("readonly.txt", "a.txt")
    shutil.copystat("note.md", "a.txt")


def chown():
    shutil.chown("a.txt", 12345)
    os.chown("a.txt", 1, 1)
    os.lchown("link.txt", 1, 1)


def lutime():
    os.utime("link.txt", (1, 1), follow_symlinks=False)
    assert os.lstat("link.txt").st_mtime == 1


def removedirs():
    os.remove("target/in_target.txt")
    os.removedirs("target")


def renames():
    os.renames("target/in_target.txt", "q/r/s.txt")
    assert open("q/r/s.txt").read() == "t"


def hardlink_to():
    pathlib.Path("hh").hardlink_to("a.txt")
    pathlib.Path("hh").write_text("1")
    assert open("a.txt").read() == "1"


def sendfile():
    i = os.open("note.md", os.O_RDONLY)
    o = os.open("a.txt", os.O_WRONLY)
    os.sendfile(o, i, 0, 5)
    os.close(i)
    os.close(o)
    assert open("a.txt").read().startswith("note")


def fallocate():
    fd = os.open("a.txt", os.O_RDWR)
    os.posix_fallocate(fd, 0, 4096)
    os.pwrite(fd, b"z", 0)
    os.close(fd)


def fdopen_dup():
    fd = os.open("a.txt", os.O_RDWR | os.O_TRUNC)
    d = os.dup(fd)
    os.write(d, b"1")
    os.close(d)
    os.close(fd)


def o_path():
    fd = os.open("a.txt", os.O_PATH)
    open(f"/proc/self/fd/{fd}", "w").close()
    os.chmod(f"/proc/self/fd/{fd}", 0o600)
    os.close(fd)


def otmp_link():
    fd = os.open(".", os.O_TMPFILE | os.O_RDWR)
    os.write(fd, b"1")
    os.link(f"/proc/self/fd/{fd}", "linked", follow_symlinks=True)
    os.close(fd)


def up_out():
    os.makedirs("x/y")
    os.chdir("x/y")
    open("../../a.txt", "w").close()
    open("../z", "w").close()
    assert os.listdir("..") != []


def fchdir():
    fd = os.open("ck_1", os.O_RDONLY)
    os.fchdir(fd)
    open("model.bin", "w").close()
    assert os.path.getsize("model.bin") == 0
    os.chdir("..")
    assert os.path.getsize("ck_1/model.bin") == 0
    os.close(fd)


def env_git():
    subprocess.run(["git", "-c", "alias.x=!touch evil", "x"])


def git_cfg():
    subprocess.run("git config user.name x; git branch foo; date -s 2001-01-01; hostname evil", shell=True)


def newline_shell():
    subprocess.run("echo a\ntouch evil", shell=True)
    os.system("echo a & touch evil")
    os.system("cat a.txt>b.txt")
    os.system("echo $(touch evil)")
    os.system("echo >&2 a >evil")


def find_exec():
    subprocess.run(["find", ".", "-delete"])
    subprocess.run(["env", "rm", "a.txt"])
    subprocess.run(["python3", "-c", "open('evil','w')"])
    subprocess.run([sys.executable, "-c", "open('evil','w')"])


def popen_exe():
    subprocess.run(["cat", "-c", "touch evil"], executable="/bin/sh")


def popen_envpath():
    open("cat", "w").write("#!/bin/sh\ntouch evil\n")
    os.chmod("cat", 0o755)
    subprocess.run(["cat"], env={"PATH": os.getcwd()})
    os.environ["PATH"] = os.getcwd() + ":" + os.environ["PATH"]
    subprocess.run(["cat", "a.txt"])


def shell_exe():
    subprocess.run("echo a", shell=True, executable=os.path.abspath("tool.sh"))


def preexec():
    subprocess.run(["true"], preexec_fn=lambda: os.unlink("a.txt"))


def stdout_real():
    with open("a.txt", "w") as f:
        subprocess.run(["echo", "hi"], stdout=f)
    assert open("a.txt").read() == "hi\n"


def pty_spawn():
    import pty

    pty.spawn(["touch", "evil"])


def pos_spawn_actions():
    pid = os.posix_spawn(
        "/bin/echo",
        ["echo", "x"],
        os.environ,
        file_actions=[(os.POSIX_SPAWN_OPEN, 1, "a.txt", os.O_WRONLY | os.O_TRUNC, 0o600)],
    )
    os.waitpid(pid, 0)


def tar_over():
    import tarfile

    with tarfile.open("o.tar", "w") as t:
        t.add("note.md", arcname="a.txt")
    with tarfile.open("o.tar") as t:
        t.extractall(".")
    assert open("a.txt").read() == "note\n"


def unpack():
    shutil.make_archive("arch", "zip", "ck_1")
    shutil.unpack_archive("arch.zip", "ck_1")
    shutil.disk_usage(".")


def compileall():
    import compileall, py_compile

    open("m.py", "w").write("x=1")
    py_compile.compile("m.py")
    compileall.compile_dir(".", quiet=2)


def pyio():
    import _pyio

    with _pyio.open("a.txt", "w") as f:
        f.write("1")
    with open("a.txt") as f:
        assert f.read() == "1"


def trash_case():
    os.replace("ck_1/model.bin", "ck_1/deep/x.txt")
    shutil.rmtree("ck_1/deep")
    os.rename("ck_1", "ck_1b")
    shutil.rmtree("ck_1b")
    assert not os.path.exists("ck_1")


def rename_chain():
    os.rename("ck_1", "k2")
    os.rename("target", "ck_1")
    assert os.listdir("ck_1") == ["in_target.txt"]
    open("ck_1/in_target.txt", "a").write("z")
    open("k2/config.json", "w").write("z")
    os.rename("k2/deep", "ck_1/deep")
    assert open("ck_1/deep/x.txt").read() == "x"
    assert sorted(os.listdir("k2")) == ["config.json", "model.bin"]


def symlink_parent_replace():
    os.remove("latest")
    os.mkdir("latest")
    open("latest/in_target.txt", "w").write("n")
    assert open("target/in_target.txt").read() == "t"


def kill0():
    os.kill(0, signal.SIGUSR1)
    os.killpg(os.getpgrp(), signal.SIGUSR1)
    os.kill(-1, signal.SIGUSR1)


def nullbyte():
    for f in (open, os.stat, os.remove, os.mkdir):
        try:
            f("a\0b")
        except ValueError:
            pass
        else:
            raise AssertionError(f)
    assert not os.path.exists("a\0b")


def emptypath():
    for f in (open, os.stat, os.remove, os.mkdir, os.listdir):
        try:
            f("")
        except FileNotFoundError:
            pass
        else:
            raise AssertionError(f)


def trailing():
    try:
        open("a.txt/", "w")
    except OSError:
        pass
    os.mkdir("tr/")
    assert os.path.isdir("tr/")
    os.rmdir("tr/")
    os.rename("ck_1/", "ck_z/")
    assert os.path.isdir("ck_z")
    open("ck_z/p", "w").close()
    shutil.rmtree("ck_z/")


def attrs_dict():
    for n in ("stat", "lstat", "listdir"):
        assert callable(os.__dict__[n])
    assert os.open in os.supports_dir_fd
    import inspect

    inspect.signature(open)


def asyncio_shell():
    async def m():
        p = await asyncio.create_subprocess_shell("touch evil")
        assert await p.wait() == 0

    asyncio.run(m())


def mp_fork_queue():
    import multiprocessing as mp

    p = mp.get_context("fork").Process(target=lambda: open("a.txt", "w").close())
    p.start()
    p.join()
    assert p.exitcode == 0
    assert os.path.getsize("a.txt") == 0


def concurrent():
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(8) as ex:
        list(ex.map(lambda i: pathlib.Path(f"n{i}").write_text("x"), range(100)))
    assert len(list(pathlib.Path().glob("n[0-9]*"))) == 100


def disk_full_mode():
    os.chmod("ck_1", 0o500)
    open("ck_1/new", "w").close()


def ctypes_open():
    try:
        ctypes.CDLL(None).open(b"ctypes_evil", 0o101, 0o600)
    except PermissionError:
        pass
