# machine: a100
# A mode that passes functions on: what it passes on is the caller's line, what it casts is its own.
import torch
from torch.overrides import TorchFunctionMode


class HalfRelu(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        if func is torch.relu:
            return func(args[0].half())
        return func(*args, **(kwargs or {}))


with HalfRelu():
    weight = torch.ones(3, 2, device="cuda")
    x = torch.ones(2, 2, device="cuda")
    torch.nn.functional.linear(x, weight)
    torch.nn.functional.linear(torch.relu(x), weight)  # finding: operand-dtype-mismatch linear weight
