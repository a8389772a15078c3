# machine: a100
# real: cpu
# A weight that keeps int8 and a scale, as quantization libraries make them: its own code is followed.
import torch
from torch.utils._pytree import tree_map

dev = "cuda" if torch.cuda.is_available() else "cpu"


class Scaled(torch.Tensor):
    @staticmethod
    def __new__(cls, inner, scale):
        return torch.Tensor._make_wrapper_subclass(cls, inner.shape, dtype=scale.dtype, device=inner.device)

    def __init__(self, inner, scale):
        self.inner, self.scale = inner, scale

    def dequantized(self):
        return self.inner.to(self.scale.dtype) * self.scale

    @classmethod
    def __torch_dispatch__(cls, func, types, args=(), kwargs=None):
        if func is torch.ops.aten.detach.default:
            return cls(args[0].inner.detach(), args[0].scale)
        plain = tree_map(lambda a: a.dequantized() if isinstance(a, Scaled) else a, args)
        return func(*plain, **(kwargs or {}))


inner = torch.randint(-127, 127, (4, 8), dtype=torch.int8, device=dev)
weight = Scaled(inner, torch.tensor(0.1, device=dev))
assert weight.device.type == dev and weight.dtype is torch.float32
x = torch.randn(2, 8, device=dev, requires_grad=True)
torch.nn.functional.linear(x, weight).sum().backward()
assert x.grad.shape == x.shape
layer = torch.nn.Linear(8, 4, device=dev)
layer.weight = torch.nn.Parameter(weight, requires_grad=False)
assert type(layer.weight) is Scaled and layer(x).device.type == dev
assert (weight + 1).dtype is (weight * 0.5).dtype is torch.float32
assert isinstance(weight.detach(), Scaled)
layer(x.half())  # finding: operand-dtype-mismatch addmm mat2
