"""torch.where keeps a square root of 0 from the result, not from the gradient: 0 * inf is NaN."""
import torch

torch.manual_seed(0)
x = torch.randn(100).clamp(min=0).requires_grad_()
y = torch.where(x > 0, torch.sqrt(x), torch.zeros(()))  # fault: nan-mask
y.sum().backward()


def harm():
    return x.grad.isnan().float().mean().item()

# right:
#- y = torch.where(x > 0, torch.sqrt(x), torch.zeros(()))
#+ y = torch.where(x > 0, torch.sqrt(torch.where(x > 0, x, 1.0)), torch.zeros(()))
