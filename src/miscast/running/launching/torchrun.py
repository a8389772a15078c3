"""Set the environment variables of a rank of `torchrun`."""

from __future__ import annotations

import os
from dataclasses import replace

from ..process.environment import put
from .command_line import LOCAL_RANK, Launch, Program

PORT = 29500
"""torchrun's. Where a rank runs alone, nobody listens there."""


def environment(rank: int, size: int, port: int) -> dict[str, str]:
    """Return the variables that `torchrun --standalone` sets (torch's local_elastic_agent.py)."""
    return {
        **dict.fromkeys(("RANK", "LOCAL_RANK", "ROLE_RANK"), str(rank)),
        **dict.fromkeys((f"{of}WORLD_SIZE" for of in ("", "LOCAL_", "ROLE_")), str(size)), "GROUP_RANK": "0",
        "GROUP_WORLD_SIZE": "1", "ROLE_NAME": "default", "MASTER_ADDR": "127.0.0.1", "MASTER_PORT": str(port),
        "TORCHELASTIC_RESTART_COUNT": "0", "TORCHELASTIC_MAX_RESTARTS": "0", "TORCHELASTIC_RUN_ID": "none",
        "TORCHELASTIC_USE_AGENT_STORE": "False",
        "OMP_NUM_THREADS": os.environ.get("OMP_NUM_THREADS", "1"),
    }  # fmt: skip


def as_first(launch: Launch) -> Program:
    """Return the program as the first of a launcher's ranks, and set this process's environment for it."""
    put(launch.environment)
    if launch.ranks:
        os.environ.update(environment(0, launch.ranks, PORT))
    words = (word.replace(LOCAL_RANK, "0") for word in launch.program.args)
    return replace(launch.program, args=tuple(words))
