"""List the machines that --machine accepts, and those that only `lint` supports."""

from __future__ import annotations

import argparse

from .listing import listed


def add(_: argparse.ArgumentParser) -> None:
    """Add no arguments."""


def run(_: argparse.Namespace) -> int:
    """Return a line each."""
    from ..core import machines

    known = machines.known()
    width = max(len(machine.name) for machine in known)
    title = max(len(machine.title) for machine in known)
    lines = []
    for machine in known:
        memory = f"{machine.memory / (1 << 30):4.0f} GiB" if machine.memory else " " * 8
        support = {"emulates": machine.emulated, "lacks": machine.missing}
        told = [
            f"{verb} {', '.join(dtypes)}" for verb, dtypes in support.items() if dtypes
        ]
        lacks = "; ".join([*told, *["lint only"] * (not machine.virtual)])
        lines.append(
            f"{machine.name:{width}}  {machine.title:{title}}  {memory}  {lacks}".rstrip()
        )
    listed(lines, width + 2)
    return 0
