# machine: cpu
# real: cpu
# A weight of a class of its own is cast after it was used, in place: torch swaps it with its cast.
import torch
from torch import nn
from torch.utils._pytree import tree_map_only


class Wrapped(torch.Tensor):
    @staticmethod
    def __new__(cls, inner):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=inner.dtype)

    def __init__(self, inner):
        self.inner = inner

    def __tensor_flatten__(self):
        return ["inner"], None

    @classmethod
    def __tensor_unflatten__(cls, inner, *_):
        return cls(inner["inner"])

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        plain = tree_map_only(Wrapped, lambda one: one.inner, (args, kwargs or {}))
        out = func(*plain[0], **plain[1])
        keeps = func in (torch.ops.aten._to_copy.default, torch.ops.aten.detach.default)
        return cls(out) if keeps else out


layer = nn.Linear(8, 4, bias=False)
layer.weight = nn.Parameter(Wrapped(torch.randn(4, 8)), requires_grad=False)
layer(torch.randn(2, 8))
layer.bfloat16()
assert isinstance(layer.weight, Wrapped)
assert layer.weight.dtype is torch.bfloat16
layer(torch.randn(2, 8))  # finding: operand-dtype-mismatch matmul other
