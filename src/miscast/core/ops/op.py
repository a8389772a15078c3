"""Names of an op in torch, in its kernels, in tracebacks and in users' words. Fields of names hold words."""

from __future__ import annotations

from collections.abc import Mapping

from ..event import Role
from ..frozen import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Op:
    """One op, under the one name that reports and explanations tell it by."""

    name: str
    ours: bool = False
    """True if neither torch's schemas nor functional.py have it under this name."""
    schemas: str = ""
    """Its other names there, as far as they do not follow from `begins`."""
    aliases: str = ""
    """Other names in kernels and wrappers, without device, direction and the like."""
    begins: str = ""
    """Prefixes of its kernels' names, whatever follows. If several match, the longest wins."""
    compiled: bool = False
    """True if extensions compile it. Their files and functions with `begins` in the name count as this op, too."""
    kernels: Mapping[str, str] = field(default_factory=dict)
    """Kernels whose names do not tell their device, and it."""
    layers: str = ""
    """The name in torch before 0.4: SpatialConvolutionMM."""
    modules: str = ""
    """Classes of torch.nn that are this op."""
    file: str = ""
    """The file of torch most of whose code is this op, with its folder."""
    functions: str = ""
    """Functions and methods of torch and torchvision that do it and are not called so."""
    programs: str = ""
    """Names that programs give functions of theirs that do it; `*` stands for anything."""
    methods: str = ""
    """Methods of tensors that are it, and of hardly anything else; functions too that are called of any module."""
    own_arguments: str = ""
    """Arguments that no other op has: of the two that a message names, either tells it."""
    arguments: str = ""
    """Other arguments that tell it where a message names one: with its number (`weight#3`), if several ops have it."""
    frames: str = ""
    """Words in frames near which it is the usual one; the longest tells most."""
    operands: tuple[str, ...] = ()
    """The roles of its operands, in order."""
    roles: Mapping[str, Role] = field(default_factory=dict)
    """Roles of operands by name, if other ops use the name for something else."""
    half_but_on_cpu: bool = False
    """True if only CPUs lacked its float16 kernel. Such a message, if it names no device, is about a CPU."""
    layer: bool = False
    """True if the module of this name only calls this op, so that a line calls it by the module's name."""
