# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"


@torch.jit.script
def swish(x: torch.Tensor, beta: float = 1.0) -> torch.Tensor:
    return x * torch.sigmoid(beta * x)


x = torch.randn(2, 3, device=dev, requires_grad=True)
swish(x).sum().backward()
assert x.grad.device == x.device
