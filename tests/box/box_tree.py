"""A tree of files as programs have it, and what it looks like, to the nanosecond."""

from __future__ import annotations

import os
import sqlite3
import stat
from contextlib import suppress
from pathlib import Path

OLD = 1_600_000_000_123_456_789


def make(root: Path) -> None:
    """Files, folders, links of both kinds, a database, an array, a pipe."""
    root.mkdir()
    (root / "a.txt").write_text("old a\n")
    (root / "note.md").write_text("note\n")
    (root / "config.json").write_text('{"lr": 1}')
    (root / "readonly.txt").write_text("read only")
    for name in ("ck_1", "ck_1/deep", "empty", "target"):
        (root / name).mkdir()
    (root / "ck_1/model.bin").write_bytes(bytes(range(256)) * 64)
    (root / "ck_1/config.json").write_text("{}")
    (root / "ck_1/deep/x.txt").write_text("x")
    (root / "target/in_target.txt").write_text("t")
    (root / "link.txt").symlink_to("a.txt")
    (root / "latest").symlink_to("target")
    (root / "hard_1").write_text("hard")
    os.link(root / "hard_1", root / "hard_2")
    (root / "array.bin").write_bytes(bytes(80))
    base = sqlite3.connect(root / "base.db")
    base.execute("create table t (x)")
    base.execute("insert into t values (1)")
    base.commit()
    base.close()
    os.mkfifo(root / "pipe")
    (root / "tool.sh").write_text("#!/bin/sh\ntouch made_by_tool\n")
    os.chmod(root / "tool.sh", 0o755)
    os.chmod(root / "readonly.txt", 0o444)
    with suppress(OSError):  # a file system without attributes
        os.setxattr(root / "a.txt", "user.of", b"old")
    for folder, folders, files in os.walk(root, topdown=False):
        for name in (*folders, *files):
            os.utime(os.path.join(folder, name), ns=(OLD, OLD), follow_symlinks=False)
    os.utime(root, ns=(OLD, OLD))


def snapshot(root: Path) -> dict[str, object]:
    """Everything about every name, access times aside."""
    found: dict[str, object] = {}
    for folder, folders, files in os.walk(root):
        for name in (".", *folders, *files):
            path = os.path.join(folder, name)
            s = os.lstat(path)
            content: object = None
            if stat.S_ISREG(s.st_mode):
                content = Path(path).read_bytes()
            elif stat.S_ISLNK(s.st_mode):
                content = os.readlink(path)
            try:
                attributes = {key: os.getxattr(path, key) for key in os.listxattr(path, follow_symlinks=False)}
            except OSError:
                attributes = {}
            about = s.st_mode, s.st_mtime_ns, s.st_nlink, s.st_ino, s.st_uid
            found[os.path.relpath(path, root)] = (about, content, attributes)
    return found
