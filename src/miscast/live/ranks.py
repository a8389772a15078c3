"""One process of many that run the same program: who this is, and whether another has told of the same error.

torchrun gives each local rank a file for its error, in a folder that the ranks of a node share and that torchrun
removes. The first rank to die of an error leaves a mark there; the others then say it in one line. Of other launchers
every rank tells for itself.
"""

from __future__ import annotations

import hashlib
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ..report import Report


def here() -> str:
    """Return the rank of this process, "rank 3 of 8"; "" if it is the only one."""
    rank, world = os.environ.get("RANK", ""), os.environ.get("WORLD_SIZE", "")
    many = rank.isdecimal() and world.isdecimal() and int(world) > 1
    return f"rank {int(rank)} of {int(world)}" if many else ""


def file(output: str) -> str:
    """Return a file of its own for each rank: `error.json`, `error.rank3.json`."""
    if not here():
        return output
    stem, ending = os.path.splitext(output)
    return f"{stem}.rank{int(os.environ['RANK'])}{ending}"


def told_by(found: Report) -> str | None:
    """Return the rank that has reported the same error before; None if this process is to report, which is marked."""
    errors = os.environ.get("TORCHELASTIC_ERROR_FILE", "")
    folder = os.path.dirname(os.path.dirname(errors))
    if not here() or not os.path.isdir(folder):
        return None
    mark = os.path.join(folder, f"miscast-{_digest(found)}")
    try:
        with open(mark, "x", encoding="utf-8") as own:
            own.write(here())
    except FileExistsError:
        with open(mark, encoding="utf-8") as other:
            return other.read() or "another rank"
    except OSError:
        return None
    return None


def _digest(found: Report) -> str:
    """Return what makes two errors the same: what happened, to which operands, where.

    Not on which device each rank sits.
    """
    told = [
        (
            one.pattern,
            one.op,
            (one.location.module, one.location.file, one.location.line),
            [
                (operand.name, operand.dtype, operand.device.partition(":")[0])
                for operand in one.operands
            ],
        )
        for one in found
    ]
    return hashlib.sha256(repr(told).encode()).hexdigest()[:16]
