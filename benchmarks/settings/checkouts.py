"""Others' programs at fixed commits, which are run and never kept here: `python checkouts.py FOLDER` fetches them."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

LIST = Path(__file__).with_suffix(".txt")


def listed() -> dict[str, tuple[str, str]]:
    """What is to be fetched, by folder: the repository and the commit."""
    lines = (line.split() for line in LIST.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return {name: (repository, commit) for name, repository, commit in lines}


def absent(paths: Iterable[str], folder: Path) -> list[str]:
    """A line for each checkout that some paths are in and that a folder has not got."""
    missing = sorted({path.partition("/")[0] for path in paths if not (folder / path).exists()})
    return [
        f"skipped what runs {name}: {folder / name} is not there (settings/checkouts.py fetches it)"
        for name in missing
    ]


def main() -> None:
    """Fetch what is not there."""
    for name, (repository, commit) in listed().items():
        folder = Path(sys.argv[1]) / name
        if not folder.exists():
            subprocess.run(["git", "init", "--quiet", folder], check=True)
            subprocess.run(["git", "-C", folder, "fetch", "--depth", "1", repository, commit], check=True)
            subprocess.run(["git", "-C", folder, "checkout", "--quiet", "FETCH_HEAD"], check=True)


if __name__ == "__main__":
    main()
