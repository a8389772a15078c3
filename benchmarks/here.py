"""Describe the machine of a measurement, and count the CPU time of finished child processes."""

from __future__ import annotations

import os
import resource
from datetime import datetime, timezone

from check import processor


def spent() -> float:
    """Seconds of the processor, of all processes that were started and have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def conditions(device: str = "cpu") -> str:
    """A sentence's beginning for a table of times; asked before they are measured, for the load.

    Of CPU times of one core, or of a GPU by the wall clock.
    """
    import torch

    if device == "cuda":
        return (
            f"Measured {datetime.now(timezone.utc):%Y-%m-%d} on one {torch.cuda.get_device_name()}, "
            f"torch {torch.__version__}, load {os.getloadavg()[0]:.1f} at the start; wall clock"
        )
    able = any(have for what, have in torch.cpu.get_capabilities().items() if "bf16" in what)
    return (
        f"Measured {datetime.now(timezone.utc):%Y-%m-%d} on one core of {processor()}, "
        f"{'with' if able else 'without'} bfloat16 instructions, torch {torch.__version__}, "
        f"load {os.getloadavg()[0]:.1f} at the start; CPU time"
    )
