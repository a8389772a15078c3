"""Select the combinations that a change may affect: those that read a file changed since a revision."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Sequence

from .cell import Cell


class NoRevisionError(ValueError):
    """git is not there, this is no repository, or it knows no such revision; the message is one line."""


def changed(revision: str) -> frozenset[str]:
    """Return the real paths of changed files, including those that git does not track yet."""
    top = _git("rev-parse", "--show-toplevel").strip()
    _git(
        "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}"
    )
    told = _git("diff", "--name-only", "-z", revision, "--", cwd=top)
    new = _git("ls-files", "--others", "--exclude-standard", "-z", cwd=top)
    return frozenset(
        os.path.realpath(os.path.join(top, name))
        for name in (told + new).split("\0")
        if name
    )


def unconcerned(
    files: frozenset[str], target: str
) -> Callable[[Cell, Sequence[str] | None], bool]:
    """Return a check whether none of the files can affect a combination: those its last run read, else nearby ones."""
    script = os.path.realpath(target)
    near = os.path.join(
        os.path.dirname(script) if os.path.isfile(script) else os.getcwd(), ""
    )

    def left_out(cell: Cell, read: Sequence[str] | None) -> bool:
        if read is not None:
            return files.isdisjoint(map(os.path.realpath, read))
        named = {os.path.realpath(word.rpartition("=")[2]) for word in cell.arguments}
        return files.isdisjoint(named) and not any(
            file.startswith(near) for file in files
        )

    return left_out


def _git(*words: str, cwd: str | None = None) -> str:
    try:
        done = subprocess.run(  # noqa: S603 - git, with words of ours
            ["git", *words],  # noqa: S607 - the user's git
            capture_output=True,
            text=True,
            errors="surrogateescape",
            check=False,
            cwd=cwd,
        )
    except OSError as error:
        raise NoRevisionError("--since needs git") from error
    if done.returncode:
        said = (
            done.stderr.strip().splitlines()
            or [f"{words[-1].removesuffix('^{commit}')}: no such revision"]
        )[0]
        raise NoRevisionError(f"--since: {said}")
    return done.stdout
