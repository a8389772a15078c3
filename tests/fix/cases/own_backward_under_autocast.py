# machine: a100
import torch
from torch import nn


class Product(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight):
        ctx.save_for_backward(x, weight)
        return nn.functional.linear(x, weight)

    @staticmethod
    def backward(ctx, grad):
        x, weight = ctx.saved_tensors
        return grad @ weight, grad.t() @ x


weight = nn.Parameter(torch.randn(4, 8, device="cuda"))
x = torch.randn(3, 8, device="cuda", requires_grad=True)
with torch.autocast("cuda", dtype=torch.bfloat16):
    out = Product.apply(x, weight)
out.float().sum().backward()
# fixed:
#+     @torch.amp.custom_fwd(device_type="cuda")
#+     @torch.amp.custom_bwd(device_type="cuda")
