"""Traces made by hand: the story of report A (a float32 mask in a float16 program), and its parts."""

from __future__ import annotations

from miscast.core.event import (
    Call,
    Event,
    Location,
    Operand,
    Phase,
    TensorMeta,
    Trace,
    Violation,
)

SHAPE = (2, 4, 8, 8)


def at(line: int, code: str = "", *, module: str | None = None, file: str = "train.py") -> Location:
    """A place in the user's program."""
    return Location(file=file, line=line, function="main", module=module, code=code)


def event(kind, op, dtype, line, code="", *, device="cuda:0", source=None, library=None) -> Event:
    """Something that gave a tensor its dtype or device."""
    return Event(
        kind=kind, op=op, dtype=dtype, device=device, location=at(line, code), source=source, library=library
    )


def operand(name, dtype, origin=None, *, device="cuda:0", moved=None) -> Operand:
    """An operand with the origin of its dtype, and of its device."""
    meta = TensorMeta(dtype=dtype, device=device, shape=SHAPE)
    return Operand(name=name, tensor=meta, dtype_origin=origin, device_origin=moved)


def call(op, operands, violation, where, *, phase: Phase = "forward", hidden=False, count=1, library=None) -> Call:
    """A call that broke a contract."""
    return Call(
        op=op, phase=phase, location=where, operands=tuple(operands), violation=violation, hidden=hidden, count=count,
        library=library,
    )  # fmt: skip


def trace(*calls: Call, machine: str = "v100", **more) -> Trace:
    """A run that met these calls."""
    return Trace(machine=machine, torch="2.13.0", calls=calls, ops=1_234, **more)


MASK = event("born", "torch.ones", "float32", 12, "mask = torch.ones(latent.shape[0], 1, 64, 64)")
CAT = event("promoted", "cat", "float32", 14, "x = torch.cat([latent, mask], dim=1)", source=MASK)
EMB = event("cast", "Tensor.to", "float32", 20, "emb = t_emb.to(x.dtype)", source=CAT)
HALF = event("cast", "Module.half", "float16", 5, "unet = unet.half()")
ERODE = event("born", "torch.empty", "float32", 7, "erode = nn.Conv2d(1, 1, 3)")
ERROR = "mat1 and mat2 must have the same dtype, but got Float and Half"


def mix(odd="input", like="weight", expected="float16", error=ERROR) -> Violation:
    """Two operands of different dtypes."""
    return Violation(kind="dtype", odd=(odd,), like=like, expected=expected, error=error)


def linear(line=22, origin=EMB, weight=HALF, **more) -> Call:
    """A Linear with half weights and a float32 input."""
    where = at(line, "unet(x, t_emb)", module="unet.time_embedding.linear_1")
    operands = [operand("input", "float32", origin), operand("weight", "float16", weight)]
    return call("linear", operands, mix(), where, **more)


def conv(line=22, origin=CAT, weight=HALF, op="conv2d") -> Call:
    """A convolution with half weights and a float32 input."""
    where = at(line, "unet(x, t_emb)", module="unet.conv_in")
    violation = mix(error="Input type (float) and bias type (c10::Half) should be the same")
    return call(op, [operand("input", "float32", origin), operand("weight", "float16", weight)], violation, where)


def eroded(line=30) -> Call:
    """A float32 Conv2d that nobody cast, and a half mask."""
    given = operand("input", "float16", event("cast", "Tensor.half", "float16", 28, "m = m.half()"))
    violation = mix(expected="float32", error="Input type (c10::Half) and bias type (float) should be the same")
    where = at(line, "erode(m)", module="erode")
    return call("conv2d", [given, operand("weight", "float32", ERODE)], violation, where)


def stray(line=40) -> Call:
    """A module that was never moved."""
    moved = event("moved", "Tensor.to", "float16", 33, 'z = z.to("cuda:0")')
    violation = Violation(kind="device", odd=("input",), like="weight", expected="cpu", error="Expected all tensors …")
    operands = [operand("input", "float16", HALF, moved=moved), operand("weight", "float16", HALF, device="cpu")]
    return call("conv2d", operands, violation, at(line, "vae.decode(z)", module="vae.decoder.conv_in"))
