"""Do a program's tensors meet on two devices? Asked of torch's own FakeTensorMode, where there is no GPU.

The program runs for real, on torch's fake tensors: they have a device and no data. The GPU is torch's `privateuseone`
backend, in whose name no kernel exists and none is needed. FakeTensorMode demands one device of the operands of an op
and lets a 0-d tensor of the CPU and indices through, as CUDA does. dtypes are not its business: half precision is
taken to be float32 and autocast to be off, so that nothing but devices can fail. What asks a tensor for its values gets
made-up ones; where the program depends on more than that (the number of true elements), the run ends undecided.
"""

from __future__ import annotations

import contextlib
import re
import runpy
import sys
from pathlib import Path
from typing import Any

GPU = "othergpu"
_MIXED = re.compile(
    r"two different devices|same device|Expected all tensors to be on|not on the expected device|at least two devices"
    r"|device type for generator|invalid device ordinal|Expected a '?\w+'? (?:device|generator)",
    re.IGNORECASE,
)


def mixes(error: str) -> bool:
    """Whether `run` died of devices."""
    return bool(_MIXED.search(error))


def run(script: Path) -> str:
    """Run a script in this process, and for this alone: what it died of, or nothing."""
    from torch._subclasses.fake_tensor import FakeTensorMode

    for file in script.parent.glob("*.py"):
        text = file.read_text(encoding="utf-8").replace("torch.cuda.is_available()", "True")
        file.write_text(re.sub(r"([\"'])cuda", rf"\1{GPU}", text), encoding="utf-8")
    sys.path.insert(0, str(script.parent))
    sys.argv = [str(script)]
    _backend()
    _blind()
    try:
        with FakeTensorMode(allow_non_fake_inputs=True):
            runpy.run_path(str(script), run_name="__main__")
    except Exception as raised:  # noqa: BLE001 - whatever a program dies of
        return f"{type(raised).__name__}: {raised}"[:2000]
    return ""


def _backend() -> None:
    """A device of one GPU that torch can name and the autograd engine knows."""
    from torch.utils.backend_registration import _setup_privateuseone_for_python_backend

    _setup_privateuseone_for_python_backend(rename=GPU)


def _blind() -> None:
    """Take the dtypes away, and what needs values, for the rest of this process."""
    import torch

    torch.float16 = torch.bfloat16 = torch.half = torch.float32
    torch.Tensor.half = torch.Tensor.bfloat16 = torch.Tensor.float
    torch.nn.Module.half = torch.nn.Module.bfloat16 = torch.nn.Module.float
    torch.autocast = torch.amp.autocast = lambda *_, **__: contextlib.nullcontext()
    scaler = torch.amp.GradScaler
    torch.amp.GradScaler = lambda *_, **__: scaler("cpu", enabled=False)
    torch.nn.Module._apply = _apply
    torch.Generator = _generator(torch.Generator)
    torch.tensor, torch.as_tensor = _moved(torch.tensor), _moved(torch.as_tensor)
    for name in ("rand", "randn", "randint", "randperm", "normal"):
        setattr(torch, name, _random(getattr(torch, name)))
    torch.Tensor.item = _value
    torch.Tensor.__bool__ = lambda self: bool(_value(self))
    torch.Tensor.__int__ = torch.Tensor.__index__ = lambda self: int(_value(self))
    torch.Tensor.__float__ = lambda self: float(_value(self))
    torch.Tensor.__format__ = lambda self, spec: format(_value(self), spec) if not self.shape else str(self.shape)
    torch.Tensor.tolist = lambda self: _nested(self, tuple(self.shape))
    torch.Tensor.numpy = _numpy


def _apply(module: Any, convert: Any, recurse: bool = True) -> Any:
    """`nn.Module._apply` with new parameters: fake ones cannot be swapped."""
    import torch

    for child in module.children() if recurse else ():
        child._apply(convert)
    with torch.no_grad():
        for name, parameter in module._parameters.items():
            if parameter is not None:
                module._parameters[name] = torch.nn.Parameter(convert(parameter), parameter.requires_grad)
        for name, buffer in module._buffers.items():
            if buffer is not None:
                module._buffers[name] = convert(buffer)
    return module


def _generator(real: Any) -> Any:
    """Generators of the CPU that say that they are the GPU's."""
    import torch

    class Generator(real):  # type: ignore[misc] # a class that is not known here
        def __new__(cls, device: Any = "cpu") -> Any:
            made = super().__new__(cls, "cpu")
            made.on = torch.device(device)
            return made

        @property
        def device(self) -> Any:
            return self.on

    return Generator


def _random(real: Any) -> Any:
    """A random factory that demands a generator of its device, as each backend's kernel does."""
    import torch

    def factory(*args: Any, generator: Any = None, device: Any = "cpu", **kwargs: Any) -> Any:
        wanted = torch.device(device if device is not None else "cpu").type
        if generator is not None and generator.device.type != wanted:
            raise RuntimeError(f"Expected a '{wanted}' device type for generator but found '{generator.device.type}'")
        return real(*args, device=device, **kwargs)

    return factory


def _moved(real: Any) -> Any:
    """`torch.tensor` that fills memory of the CPU and moves it: fake memory cannot be filled."""

    def factory(data: Any, *args: Any, device: Any = None, **kwargs: Any) -> Any:
        made = real(data, *args, **kwargs)
        if hasattr(made, "constant"):
            made.constant = None  # it would be moved for real
        return made if device is None else made.to(device)

    return factory


def _value(tensor: Any) -> Any:
    return 1.0 if tensor.is_floating_point() else tensor.dtype.__str__() == "torch.bool" or 1


def _nested(tensor: Any, shape: tuple[int, ...]) -> Any:
    return [_nested(tensor, shape[1:]) for _ in range(shape[0])] if shape else _value(tensor)


def _numpy(tensor: Any, **_: Any) -> Any:
    import numpy as np

    if tensor.device.type != "cpu":
        raise TypeError("can't convert device tensor to numpy: tensors are not on the same device")
    return np.zeros(tuple(tensor.shape), dtype=str(tensor.dtype).removeprefix("torch."))
