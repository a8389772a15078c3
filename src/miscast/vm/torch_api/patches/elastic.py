"""`elastic_launch(config, fn)(…)`, and `torchrun` called from within a program: one rank runs, in this process.

No agent is started, which would look for others on the network, and start each rank again when it fails.
"""

from __future__ import annotations

import os
import subprocess
from typing import TYPE_CHECKING, Any

from ....running.launching.torchrun import PORT, environment
from ....running.process.environment import put
from ....running.process.patching import Patch
from ...provenance.on_behalf import theirs
from .processes import rank_of

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import ModuleType

    from ...machine import VirtualMachine


def _launcher(vm: VirtualMachine, module: ModuleType) -> Iterator[Patch]:
    def launch_agent(
        config: Any, entrypoint: Any, args: Any, *_: Any, **__: Any
    ) -> dict[int, Any]:
        size, before = config.max_nodes * config.nproc_per_node, dict(os.environ)
        rank = rank_of(vm, size, "torch.distributed.launcher")
        os.environ.update(environment(rank, size, PORT))
        try:
            if callable(entrypoint):
                return {rank: theirs(entrypoint, *args)}
            # a script: `subprocesses` looks at it
            theirs(subprocess.run, [entrypoint, *args], check=True)
            return {rank: None}
        finally:
            put(before)

    yield Patch(module, "launch_agent", launch_agent)


LATER = {"torch.distributed.launcher.api": _launcher}
