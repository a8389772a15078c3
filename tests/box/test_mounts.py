"""The view of a folder that has mounts below it, made entry by entry."""

import os

from miscast.box import mounts
from miscast.running.process import linux


def test_a_folder_that_vanishes_while_it_is_listed_stays_empty(tmp_path, monkeypatch):
    """Else the box of the kernel is given up, with a part of it mounted."""
    for name in ("real/gone", "real/kept", "scratch"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setattr(linux, "mount", lambda *_, **__: None)
    opened = mounts._opened

    def removed(path):
        if path.endswith("/gone"):
            os.rmdir(tmp_path / "real/gone")
        return opened(path)

    monkeypatch.setattr(mounts, "_opened", removed)
    builder = mounts._Builder(str(tmp_path / "scratch"))
    os.mkdir(builder.root.path + "/real")
    builder._make_anew("/real", opened(str(tmp_path / "real")))
    assert sorted(os.listdir(builder.root.path + "/real")) == ["gone", "kept"]
    assert [covered.path for covered in builder.root.covered] == ["/real/kept"]
