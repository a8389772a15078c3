# machine: a100
# real: cpu
# A hook on a gradient gives back one of the same dtype; autograd refuses any other.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(2, 4, device=dev, requires_grad=True)
seen = []


class Clip:
    def __call__(self, gradient):
        return gradient.clamp(-1, 1)


def narrowed(gradient):
    return gradient.half()
    # fixed: return gradient.half().to(gradient.dtype)


y = x * 2
y.register_hook(seen.append)
y.register_hook(Clip())
handle = y.register_hook(lambda gradient: gradient * float("nan"))
handle.remove()
y.register_hook(narrowed)
(y @ torch.randn(4, 3, device=dev)).sum().backward()  # finding: operand-dtype-not-accepted Tensor.register_hook result
assert len(seen) == 1 and x.grad.dtype is torch.float32
