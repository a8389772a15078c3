"""An op has no kernel for this dtype on this device.

## What it does
torch implements each op per dtype and device: `"addmm_impl_cpu_" not implemented for 'Half'`. Linear algebra and
Fourier transforms mostly lack half-precision kernels, the CPU lacks more of them than a GPU, and NumPy has no bfloat16.
(An op that never accepts such a dtype, for example a floating-point index, is reported as operand-dtype-not-accepted.)

## Why is this bad?
The program runs on the GPU and fails on the CPU, or the reverse, or it fails in its last step when it saves an image.

## Example
    inverse = torch.linalg.inv(rotation)                 # linalg_inv_ex is not implemented for float16 on cuda
    image = decoded.cpu().numpy()                        # Tensor.numpy is not implemented for bfloat16 on cpu

## Use instead
    inverse = torch.linalg.inv(rotation.float()).to(rotation.dtype)
    image = decoded.cpu().float().numpy()

## Fix safety
Safe: casting to a wider dtype preserves every value, and the result is rounded once.
"""

from __future__ import annotations

from collections.abc import Iterator

from ...core.dtypes import category, is_floating_point
from ...core.event import Call, Operand, Trace
from ...core.finding import Finding, Fix
from ...fixing import remedy
from ...torch_facts.contracts import implemented
from ...torch_facts.contracts.signature import LETTERS
from ..findings.finding_builder import make_finding, odd

_OTHER_RESULTS = ("Tensor.numpy", "fft_", "stft", "linalg_eig", "polar", "complex")
"""Ops whose result may be complex, or is no tensor: it is not cast back."""


def find(trace: Trace) -> Iterator[Finding]:
    """Yield calls for which torch has no kernel."""
    for call in trace.calls:
        if lacks_kernel(call) and not call.hidden:
            operand = odd(call)
            dtype = operand.tensor.dtype if operand else "this dtype"
            device = (
                operand.tensor.device.partition(":")[0] if operand else "this device"
            )
            message = f"{call.op} is not implemented for {dtype} on {device}"
            yield make_finding(__name__, call, message, fixes=_fixes(call))


def lacks_kernel(call: Call) -> bool:
    """Check whether torch says that a kernel is missing, or takes a dtype of the same kind.

    Then the op makes no demand.
    """
    if call.violation.kind != "unsupported":
        return False
    operand = odd(call)
    if operand is None or "not implemented for" in call.violation.error:
        return True
    return category(operand.tensor.dtype) == category(call.violation.expected)


def _fixes(call: Call) -> tuple[Fix, ...]:
    operand, wanted = odd(call), call.violation.expected
    if operand is None:
        return ()
    dtype = operand.tensor.dtype
    # of float8 alone: a cast of its operands does not help
    if call.op.startswith("_scaled_mm"):
        return (
            Fix(
                title=f"multiply in {wanted} on this GPU: cast and scale the operands, then torch.mm"
            ),
        )
    if "complex" in dtype and "complex" not in wanted:
        # a cast would drop the imaginary part
        return (Fix(title=f"use its real view before {call.op}: torch.view_as_real"),)
    title = f"cast {_named(call, dtype)} before {call.op}, at {remedy.place(call.location)}: .to(torch.{wanted})"
    if is_floating_point(dtype) and not call.op.startswith(_OTHER_RESULTS):
        title += f", and its result back: .to(torch.{dtype})"
    cast = Fix(title=title)
    if _runs_on_gpu(call, operand):
        gpu = f"run it on a GPU: CUDA has a {dtype} kernel for {call.op}"
        return cast, Fix(title=gpu)
    return (cast,)


def _named(call: Call, dtype: str) -> str:
    alike = (one.name for one in call.operands if one.tensor.dtype == dtype)
    return ", ".join(f"`{name}`" for name in alike)


def _runs_on_gpu(call: Call, operand: Operand) -> bool:
    known = (
        implemented(f"aten.{call.op}", "cuda")
        if operand.tensor.device == "cpu"
        else None
    )
    return known is not None and LETTERS.get(operand.tensor.dtype, "?") in known
