"""A copy-on-write view of every file system that can be written to: what changes is a layer in memory, not the disk.

    /home ─ lower ┐
                  ├─ overlay ─► the program's /home          the layer is a tmpfs that ends with the last process
    layer ─ upper ┘

Tried (Linux 6.18): an overlay over `/` itself is refused in a user namespace, because what is mounted below it is
locked there (`has_locked_children`); so each folder without a mount below it gets an overlay, and the folders above are
made anew. A layer on the disk is refused where the disk is the lower side (overlapping layers); so it is in memory.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field

from ..running.process import linux

# File systems that are views of the kernel, or devices: as they are. What they let an unprivileged process write
# belongs to its own namespaces.
_VIEWS = frozenset({
    "autofs", "binder", "binfmt_misc", "bpf", "cgroup", "cgroup2", "configfs",
    "debugfs", "devpts", "devtmpfs", "efivarfs", "fusectl", "hugetlbfs", "mqueue",
    "nsfs", "proc", "pstore", "rpc_pipefs", "securityfs", "selinuxfs", "sysfs",
    "tracefs",
})  # fmt: skip
_OCTAL = re.compile(r"\\([0-7]{3})")
# of statvfs: nosuid, nodev, noexec, noatime, nodiratime, relatime
_KEPT_FLAGS = (2, 4, 8, 1024, 2048, 4096)
_RELATIME = 1 << 21


@dataclass(frozen=True, slots=True)
class Covered:
    """One folder under an overlay: its path, the untouched folder below, and where changes go, both as open folders."""

    path: str
    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class _Mount:
    kind: str
    writable: bool


@dataclass(slots=True)
class Root:
    """The file systems as the program sees them, below `path` until they are entered."""

    path: str
    covered: list[Covered] = field(default_factory=list)
    made: dict[str, frozenset[str]] = field(default_factory=dict)
    """Folders that were made anew, because something is mounted below them, with what they held at first."""
    protected: list[str] = field(default_factory=list)
    """Folders that no overlay can cover; they are read-only."""

    def let_go(self) -> None:
        """Close what leads past the overlays: the program's process must not hold it."""
        for covered in self.covered:
            os.close(covered.upper)
            os.close(covered.lower)


def covered_root(scratch: str, readable: tuple[str, ...] = ()) -> Root:
    """Build the view below `scratch`, a folder that gets a tmpfs of its own (in this mount namespace).

    The folders in `readable` show what is really there, also what comes later, and cannot be written to.
    Raises OSError where the system does not let this process do that.
    """
    linux.mount("", "/", flags=linux.RECURSIVE | linux.PRIVATE)
    beside = [(path, _opened(path)) for path in readable if os.path.isdir(path)]
    builder = _Builder(scratch)
    builder.build("/", _opened("/"))
    root = builder.root
    for path, opened in beside:
        with suppress(OSError):
            linux.mount(f"/proc/self/fd/{opened}", root.path + path, flags=linux.BIND)
            _read_only(root.path + path)
        os.close(opened)
    return root


def enter(root: Root, cwd: str) -> None:
    """Make the view this process's root."""
    os.chdir(root.path)
    linux.mount(root.path, "/", flags=linux.MOVE)
    os.chroot(".")
    os.chdir("/")
    with suppress(OSError):
        os.chdir(cwd)


def _mounted() -> Iterator[tuple[str, _Mount]]:
    """Yield every mount point with its topmost mount (proc(5), mountinfo)."""
    with open(
        "/proc/self/mountinfo", encoding="utf-8", errors="surrogateescape"
    ) as lines:
        for line in lines:
            before, _, after = line.partition(" - ")
            fields, kind = before.split(" "), after.split(" ")[0]
            path = _OCTAL.sub(lambda octal: chr(int(octal[1], 8)), fields[4])
            writable = "ro" not in fields[5].split(",") and "ro" not in after.split(
                " "
            )[-1].strip().split(",")
            yield path, _Mount(kind, writable)


class _Builder:
    """Makes the view, folder by folder."""

    def __init__(self, scratch: str) -> None:
        self._mounts = dict(_mounted())
        # from here on the tmpfs stands there
        self._hidden = {os.path.realpath(scratch): _opened(scratch)}
        linux.mount("miscast", scratch, "tmpfs", options="mode=755")
        for name in ("root", "upper", "work"):
            os.mkdir(f"{scratch}/{name}")
        self._scratch = scratch
        self.root = Root(f"{scratch}/root")
        # only a mount can become the root
        linux.mount("miscast", self.root.path, "tmpfs", options="mode=755")

    def build(self, path: str, opened: int) -> None:
        """Build one folder of the view, which exists already. `opened` is the real one."""
        mount = self._mounts.get(path)
        below = [
            point
            for point in self._mounts
            if point.startswith(path.rstrip("/") + "/") and point != path
        ]
        if mount is not None and mount.kind in _VIEWS:
            self._show(path, opened, below)
        elif below:
            self._make_anew(path, opened)
        else:
            self._cover(path, opened)

    def _show(self, path: str, opened: int, below: list[str]) -> None:
        """Show /proc, /sys and /dev unchanged, but cover folders of files that are mounted in them: /dev/shm."""
        target = self.root.path + path.rstrip("/")
        linux.mount(
            f"/proc/self/fd/{opened}", target, flags=linux.BIND | linux.RECURSIVE
        )
        for point in below:
            if point.startswith("/dev/") and self._mounts[point].kind not in _VIEWS:
                self._cover(point, _opened(point))
        if path == "/sys":
            with suppress(OSError):
                _read_only(target)

    def _make_anew(self, path: str, opened: int) -> None:
        """Build a folder that has mounts below it, entry by entry."""
        target, inside = self.root.path + path.rstrip("/"), path.rstrip("/") + "/"
        with os.scandir(f"/proc/self/fd/{opened}") as entries:
            for entry in entries:
                there = f"{target}/{entry.name}"
                if entry.is_symlink():
                    with suppress(FileNotFoundError):
                        os.symlink(os.readlink(entry.path), there)
                elif entry.is_dir():
                    os.mkdir(there)
                    # what cannot be opened, or is gone by now, stays empty: it could not be read either
                    with suppress(PermissionError, FileNotFoundError):
                        hidden = self._hidden.get(inside + entry.name)
                        self.build(
                            inside + entry.name,
                            _opened(entry.path) if hidden is None else hidden,
                        )
                else:
                    with suppress(OSError):
                        os.close(os.open(there, os.O_CREAT | os.O_WRONLY))
                        linux.mount(entry.path, there, flags=linux.BIND)
                        _read_only(there)
        self.root.made[path] = frozenset(os.listdir(target))
        _take_over(target, os.stat(opened))

    def _cover(self, path: str, opened: int) -> None:
        """Cover one folder with an overlay; if the kernel cannot, show the folder itself, read-only."""
        target, number = self.root.path + path.rstrip("/"), len(self.root.covered)
        upper = f"{self._scratch}/upper/{number}"
        work = f"{self._scratch}/work/{number}"
        os.makedirs(upper, exist_ok=True)
        os.makedirs(work, exist_ok=True)
        _take_over(upper, os.stat(opened))
        lower = f"/proc/self/fd/{opened}"
        layers = f"lowerdir={lower},upperdir={upper},workdir={work},userxattr"
        try:
            linux.mount("overlay", target, "overlay", options=layers)
        except OSError:
            linux.mount(lower, target, flags=linux.BIND | linux.RECURSIVE)
            _read_only(target)
            self.root.protected.append(path)
            return
        self.root.covered.append(
            Covered(path, opened, os.open(upper, os.O_RDONLY | os.O_DIRECTORY))
        )


def _take_over(folder: str, kept: os.stat_result) -> None:
    """Copy mode, owner and time from the folder that it replaces."""
    with suppress(OSError):
        os.chown(folder, kept.st_uid, kept.st_gid)
    os.chmod(folder, kept.st_mode & 0o7777)
    os.utime(folder, ns=(kept.st_atime_ns, kept.st_mtime_ns))


def _opened(path: str) -> int:
    return os.open(path, os.O_PATH | os.O_DIRECTORY)


def _read_only(target: str) -> None:
    """Remount it read-only; flags that the system has locked must be repeated, or it refuses."""
    has = os.statvfs(target).f_flag
    kept = sum(
        _RELATIME if flag == 4096 else flag for flag in _KEPT_FLAGS if has & flag
    )
    linux.mount("", target, flags=linux.BIND | linux.REMOUNT | linux.READ_ONLY | kept)
