"""For every op with a policy, and ops without: torch's own autocast gives the dtypes that Miscast predicts.

On cpu both run for real. For accelerators torch's autocast kernels run on fake tensors, the prediction on meta tensors.
"""

import contextlib
from collections.abc import Sequence
from dataclasses import dataclass, field

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode
from torch.utils._python_dispatch import TorchDispatchMode

from miscast.torch_facts import autocast
from sweep import sweep

from .calls import calls
from .measure import TORCH, Call, Watch, plain, predicted, real, retyped

F16, BF16, F32, F64 = torch.float16, torch.bfloat16, torch.float32, torch.float64
PAIRS = ((F32, F32), (F16, F16), (BF16, BF16), (F64, F64), (F16, F32), (F32, BF16), (F64, F16), (F16, F64))
FEW = ((F32, F32), (F16, F16), (F16, F32))
NO_CALL = {
    "aten._cudnn_rnn",
    "aten.rnn_relu.input",
    *(f"aten.{c}.data" for c in ("lstm", "gru", "rnn_tanh", "rnn_relu")),
}
# Inside the kernel of an op without a policy, ops that have one get it: what `casts` says of the outer op is not all.
INNER = {
    "cpu": {"aten.linalg_pinv", "aten.linalg_pinv.atol_rtol_float", "aten.linalg_pinv.atol_rtol_tensor",
            "aten._trilinear",
            # Only if not empty, much is looked for, from two rows on, along a dimension: `test_sweep` judges these.
            "aten.roll", "aten.isin.Tensor_Tensor", "aten.linalg_matrix_exp", "aten.matrix_exp",
            "aten.unique_consecutive"},
}  # fmt: skip
# No kernel for these here, real, fake or meta: `test_casts_of_what_cannot_run` judges their casts, not their results.
NO_KERNEL = {
    "cpu": {"aten.mkldnn_rnn_layer", "aten.lstm.input"},
    "cuda": {"aten.cudnn_convolution", "aten.cudnn_convolution_transpose", "aten._thnn_fused_gru_cell",
             "aten.gru_cell", "aten.gru.input", "aten.grid_sampler"},
    "xpu": {"aten._thnn_fused_gru_cell", "aten.gru_cell", "aten.gru.input", "aten.grid_sampler",
            "aten.scaled_dot_product_attention", "aten._scaled_dot_product_flash_attention"},
    "mps": {"aten.batch_norm", "aten.grid_sampler", "aten.scaled_dot_product_attention", "aten._mps_convolution"},
}  # fmt: skip
FORBIDDEN = {"cuda": {"aten.binary_cross_entropy"}, "xpu": {"aten.binary_cross_entropy"}}
MISSING = ("not linked with support", "not compiled with", "no fake impl or", "aten._ctc_loss.default", "no data!")


@dataclass
class Tally:
    """What came of the calls of a list of ops."""

    judged: set[str] = field(default_factory=set)
    changed: set[str] = field(default_factory=set)
    differ: dict[str, list[object]] = field(default_factory=dict)


def fake(device: str) -> contextlib.AbstractContextManager[object]:
    return contextlib.nullcontext() if device == "cpu" else FakeTensorMode(allow_non_fake_inputs=True)


def tally(
    watch: Watch, device: str, ops: dict[str, list[Call]], pairs: Sequence[tuple[torch.dtype, torch.dtype]]
) -> Tally:
    result, stands, mode = Tally(), "cpu" if device == "cpu" else "meta", fake(device)
    for name, made in ops.items():
        for call in made:
            for pair in pairs:
                with mode:
                    there = retyped(call, pair, device)
                here = retyped(call, pair, stands)
                for dtype in (BF16, F16):
                    with mode:
                        truth = real(there, device, dtype)
                    guess = predicted(watch, here, device, dtype)
                    raised = truth[0] == guess[0] == "raises" if truth and guess else False
                    if truth != guess and not raised:
                        result.differ.setdefault(name, []).append((pair, dtype, truth, guess))
                    if not raised:
                        result.judged.add(name)
                    if name not in result.changed and truth != plain(here):
                        result.changed.add(name)
    return result


@pytest.mark.parametrize(
    ("device", "each", "pairs"), [("cpu", 2, PAIRS), ("cuda", 1, PAIRS), ("xpu", 1, FEW), ("mps", 1, FEW)]
)
def test_every_op_with_a_policy(watch, device, each, pairs):
    policies = autocast.policies(device, TORCH)
    policies = {name: one for name, one in policies.items() if name.startswith("aten.")}  # tests/vm/test_torchvision.py
    ops = {name: made[:each] for name, made in calls(watch).items() if name in policies}
    assert set(policies) - NO_CALL <= set(ops), "these ops of the list have no call"
    found = tally(watch, device, ops, pairs)
    left_out = NO_KERNEL[device] | INNER.get(device, set())
    differ = {name: cases for name, cases in found.differ.items() if name not in left_out}
    assert differ == {}
    unjudged = NO_KERNEL[device] | FORBIDDEN.get(device, set())
    assert set(ops) - found.judged <= unjudged
    assert set(ops) - found.changed <= unjudged, "autocast changes nothing in these calls: they prove no policy"


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_ops_without_a_policy(watch, device):
    policies = autocast.policies(device, TORCH)
    ops = {name: made[:1] for name, made in calls(watch).items() if name not in policies}
    found = tally(watch, device, ops, FEW)
    differ = {
        name: cases
        for name, cases in found.differ.items()
        if name not in INNER.get(device, ()) and not all(any(m in str(c) for m in MISSING) for c in cases)
    }
    assert differ == {}
    assert len(found.judged) > 400


class Seen(TorchDispatchMode):
    """Keeps the dtypes of the casts that reach the kernels."""

    def __init__(self):
        super().__init__()
        self.casts = []

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        kwargs = kwargs or {}
        if func is torch.ops.aten._to_copy.default:
            self.casts.append(str(kwargs["dtype"])[6:])
        return func(*args, **kwargs)


@sweep(("device", "op"), [(device, op) for device, ops in NO_KERNEL.items() for op in sorted(ops)])
def test_casts_of_what_cannot_run(watch, device, op):
    kind = autocast.policy(device, op, TORCH)
    assert kind is not None
    (made, *_) = calls(watch)[op]
    for pair in ((F32, F32), (BF16, BF16), (BF16, F32)):
        with FakeTensorMode(allow_non_fake_inputs=True):
            call = retyped(made, pair, device)
            with Seen() as seen:
                real(call, device, BF16)
        operands = [(str(d)[6:], True) for d in pair]
        target = autocast.casts(kind, operands, "bfloat16")
        needed = any(dtype != target for dtype, _ in operands)
        assert set(seen.casts) == ({target} if needed else set())
