"""A library refuses the machine, whatever is set.

## What
SGLang on a GPU before Turing: P100, P40, V100.

## Why
It has no kernels for them, and raises when the model is loaded; no dtype helps.

## Example
    python3 -m sglang.launch_server --model-path m --dtype float16          # --machine v100

## Use instead
    vllm serve m --dtype float16                                            # or a GPU from Turing on

## Fix safety
Not safe: another program or another machine is a person's choice.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..contradiction import Contradiction
from ..run import Run


def find(run: Run) -> Iterator[Contradiction]:
    """Each system of the run that its machine is too old for."""
    machine = run.machine
    for view in run.views if machine is not None else ():
        if machine is not None and (error := view.system.facts.refuses(machine)):
            yield Contradiction(
                says=f"{view.system.title} does not run on {machine.name}",
                settings=(),
                otherwise=view.place,
                effect=error,
                help="choose another machine",
            )
