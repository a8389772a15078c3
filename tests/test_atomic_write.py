"""A file is replaced as a whole or not at all."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

from miscast.core import atomic_write


def test_what_was_there_is_replaced_and_its_mode_kept(tmp_path: Path):
    file = tmp_path / "train.py"
    file.write_bytes(b"old")
    file.chmod(0o751)
    atomic_write.write_atomically(file, b"new")
    assert file.read_bytes() == b"new"
    assert stat.S_IMODE(file.stat().st_mode) == 0o751
    assert os.listdir(tmp_path) == ["train.py"]


def test_a_new_file_has_the_mode_of_any_new_file(tmp_path: Path):
    (tmp_path / "other").write_bytes(b"")
    atomic_write.write_atomically(tmp_path / "new", b"new")
    assert (tmp_path / "new").stat().st_mode == (tmp_path / "other").stat().st_mode


def test_a_link_stays_a_link(tmp_path: Path):
    (tmp_path / "real").write_bytes(b"old")
    (tmp_path / "link").symlink_to("real")
    atomic_write.write_atomically(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real").read_bytes() == b"new"


def test_where_writing_fails_nothing_has_changed(tmp_path: Path):
    file = tmp_path / "train.py"
    file.write_bytes(b"old")
    def interrupted() -> None:
        with atomic_write.replacing(file) as out:
            out.write(b"half of the n")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert file.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["train.py"]


def test_the_error_names_the_file(tmp_path: Path):
    missing = tmp_path / "missing" / "train.py"
    with pytest.raises(FileNotFoundError) as caught:
        atomic_write.write_atomically(missing, b"new")
    assert caught.value.filename == str(missing)


def test_a_device_is_written_to():
    atomic_write.write_atomically(os.devnull, b"new")
    assert stat.S_ISCHR(os.stat(os.devnull).st_mode)


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give a file away")
def test_root_does_not_take_a_file_from_its_owner(tmp_path):
    path = tmp_path / "train.py"
    path.write_bytes(b"old")
    os.chown(path, 1234, 5678)
    path.chmod(0o640)
    atomic_write.write_atomically(path, b"new")
    after = path.stat()
    assert (path.read_bytes(), after.st_uid, after.st_gid, after.st_mode & 0o777) == (b"new", 1234, 5678, 0o640)
