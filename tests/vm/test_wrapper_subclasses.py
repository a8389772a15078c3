"""Tensors that take ops into their own hands: older than the check or not, and as before after it."""

from __future__ import annotations

import torch
from torch.utils._pytree import tree_map

import miscast


class Scaled(torch.Tensor):
    @staticmethod
    def __new__(cls, inner, scale):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=scale.dtype, device=inner.device)

    def __init__(self, inner, scale):
        self.inner, self.scale = inner, scale

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.detach.default:
            return cls(args[0].inner, args[0].scale)
        if func is torch.ops.aten.add_.Tensor:
            args[0].inner.add_(1)
            return args[0]
        plain = tree_map(lambda a: a.inner * a.scale if isinstance(a, Scaled) else a, args)
        return func(*plain, **(kwargs or {}))


def layer():
    made = torch.nn.Linear(8, 4)
    weight = Scaled(torch.ones(4, 8, dtype=torch.int8), torch.tensor(0.5))
    made.weight = torch.nn.Parameter(weight, requires_grad=False)
    return made


def test_a_model_from_before_the_check_is_read_and_kept():
    model, own = layer(), vars(Scaled)["__torch_dispatch__"]

    def program():
        model.weight.detach().add_(1)
        assert model(torch.ones(2, 8)).shape == (2, 4)
        return model(torch.ones(2, 8).half())

    for _ in range(2):
        report = miscast.check(program, machine="cpu")
        assert report.failed is None
        assert report.ended is None
        assert [finding.op for finding in report.findings] == ["addmm"]
    assert vars(Scaled)["__torch_dispatch__"] is own
    assert model.weight.inner.sum() == 32
    assert model(torch.ones(2, 8)).isfinite().all()


def test_jagged_tensors_from_before_the_check():
    old = torch.nested.nested_tensor([torch.randn(2, 8)], layout=torch.jagged)

    def program():
        made = torch.nested.nested_tensor([torch.randn(2, 8), torch.randn(3, 8)], layout=torch.jagged, device="cuda")
        return (made * 2).device, made.offsets().tolist(), (old * 2).is_nested

    report = miscast.check(program, machine="a100")
    assert (report.failed, report.ended, report.findings) == (None, None, ())
    assert report.result[1:] == ([0, 2, 5], True)
    assert (old * 2).is_nested


class Stored(Scaled):
    """It has no `clone`, as the optimizer states of torchao: torch saves its parts."""

    def __tensor_flatten__(self):
        return ["inner", "scale"], None

    @classmethod
    def __tensor_unflatten__(cls, inner, context, size, stride):
        return cls(inner["inner"], inner["scale"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.detach.default:
            return cls(args[0].inner, args[0].scale)
        raise NotImplementedError(func)


def test_a_subclass_without_clone_is_saved_by_its_parts(tmp_path):
    def program():
        made = Stored(torch.ones(4, 8, dtype=torch.int8), torch.tensor(0.5, dtype=torch.bfloat16))
        torch.save({"state": [made]}, tmp_path / "states.pt")
        made.inner.zero_()
        (back,) = torch.load(tmp_path / "states.pt", weights_only=False)["state"]
        return type(back), back.inner.dtype, back.scale.dtype, back.inner.sum().item()

    report = miscast.check(program, machine="cpu")
    assert (report.failed, report.ended, report.findings) == (None, None, ())
    assert report.result == (Stored, torch.int8, torch.bfloat16, 32)
