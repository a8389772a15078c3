"""Whole programs on a virtual GPU are silent and leave no trace; what the models once broke stays mended."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import accelerate
import pytest
import torch
from accelerate.state import AcceleratorState, PartialState
from diffusers.utils.torch_utils import get_device

from miscast.core.event import TensorMeta
from miscast.core.machines import find
from miscast.running.program.run import run_callable

from .pair import findings
from .whole import WHOLES, Whole

if TYPE_CHECKING:
    from collections.abc import Callable


@pytest.mark.parametrize("whole", WHOLES, ids=lambda whole: whole.name)
def test_silent(whole: Whole) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        trace, result = run_callable(whole.run, (), {}, find("a100"))
    assert trace.ended is None
    assert findings(trace) == []
    given = result if isinstance(result, list) else [result]
    assert tuple(f"{t.dtype} {t.device}" if isinstance(t, TensorMeta) else t for t in given) == whole.gives


def _truncated() -> torch.Tensor:
    """The bounds of trunc_normal_ are tested until all numbers keep them."""
    return torch.nn.init.trunc_normal_(torch.empty(4, 4), std=0.02)


def _truncated_parameter() -> torch.Tensor:
    return torch.nn.init.trunc_normal_(torch.nn.Parameter(torch.empty(4, 4)))


def _repeated() -> list[torch.Tensor]:
    """Qwen2-VL counts its patches so."""
    counts = torch.tensor([3, 4, 0])
    return [torch.repeat_interleave(torch.rand(3, 2), counts, dim=0), torch.repeat_interleave(counts, 2)]


def _grouped(left: torch.dtype = torch.float32, right: torch.dtype = torch.float32) -> list[torch.Tensor | None]:
    """The experts of Mixtral; torch's meta kernel takes bfloat16 alone."""
    tokens = torch.rand(6, 8, dtype=left, requires_grad=True)
    experts = torch.rand(2, 8, 8, dtype=right, requires_grad=True)
    out = torch._grouped_mm(tokens, experts, offs=torch.tensor([2, 6], dtype=torch.int32))
    out.float().mul(torch.rand(6, 8)).sum().backward()
    return [out, tokens.grad, experts.grad]


def _distances(rows: int = 64) -> torch.Tensor:
    """VQModel: above 25 rows torch multiplies matrices, which runs in half; below, a kernel that does not."""
    return torch.cdist(torch.rand(rows, 4).half(), torch.rand(12, 4).half())


@pytest.mark.parametrize("fn", [_truncated, _truncated_parameter, _repeated, _grouped, _distances])
def test_runs_as_for_real(fn: Callable[[], Any]) -> None:
    trace, result = run_callable(fn, (), {}, find("cpu"))
    assert (trace.ended, findings(trace)) == (None, [])
    real = fn()
    for one, other in zip(*(x if isinstance(x, list) else [x] for x in (real, result)), strict=True):
        assert (str(one.dtype)[6:], tuple(one.shape)) == (other.dtype, other.shape)


@pytest.mark.parametrize("fn", [lambda: _grouped(torch.float16), lambda: _distances(8)], ids=["experts", "distances"])
def test_refused_as_for_real(fn: Callable[[], Any]) -> None:
    with pytest.raises((RuntimeError, NotImplementedError)) as refused:
        fn()
    trace, _ = run_callable(fn, (), {}, find("cpu"))
    assert [call.violation.error for call in findings(trace)][:1] == [str(refused.value)]


def test_a_number_is_a_device() -> None:
    def program() -> list[Any]:
        device = torch.device(1)
        return [str(device), isinstance(device, torch.device), torch.ones(2, device=device)]

    trace, result = run_callable(program, (), {}, find("2xa100"))
    assert (trace.ended, result[:2], result[2].device) == (None, ["cuda:1", True], "cuda:1")
    assert type(torch.device("cpu")) is torch.device


def test_libraries_forget_the_machine() -> None:
    host = get_device()
    assert run_callable(get_device, (), {}, find("a100"))[1] == "cuda"
    assert get_device() == host
    for precision in ("bf16", "fp16"):
        trace, _ = run_callable(lambda p=precision: accelerate.Accelerator(mixed_precision=p), (), {}, find("a100"))
        assert trace.ended is None
        assert not PartialState._shared_state
        assert not AcceleratorState._shared_state
