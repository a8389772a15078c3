"""Run a candidate on the virtual machine, or for real. The trial's process receives the job as data."""

from __future__ import annotations

from dataclasses import dataclass

from .candidate import Candidate


@dataclass(frozen=True, slots=True, kw_only=True)
class VirtualFit:
    """On the virtual machine, to the end of so many steps of the optimizer."""

    candidate: Candidate
    steps: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RealFit:
    """On this machine, with a twin in float32; whatever seed the program asks for is shifted by `seed`."""

    candidate: Candidate
    steps: int
    seed: int
