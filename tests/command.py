"""Runs `miscast` as a user does, in a process of its own, with the sources that are tested."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import miscast
import warm

STAND_INS = "miscast: the output below is computed from placeholder values\n"
SOURCE = str(Path(miscast.__file__).parents[1])


def miscast_in(
    folder: Path | None, *args: object, cold: bool = False, whole: bool = False, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Return what `miscast ARGS` in a folder came to. Fixes are tried only if asked for.

    `cold`: in a new interpreter, where that is what is tested. Not `whole`: without the line on placeholder values.
    """
    if args[0] == "check" and not {"--fixes", "--fix", "--diff"}.intersection(args):
        args = ("check", "--fixes", "0", *args[1:])
    env = os.environ | {"PYTHONPATH": SOURCE, **environment}
    if not cold:
        done = warm.python("-m", "miscast", *args, folder=folder, environment=env, timeout=180)
        if not whole:
            done.stderr = done.stderr.replace(STAND_INS, "", 1)
        return done
    command = [sys.executable, "-m", "miscast", *map(str, args)]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=False, timeout=180)
