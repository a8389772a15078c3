"""A custom swish saves exp(x) in float16 for its backward pass, which is inf for x above 11."""
import torch


class Swish(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        grown = x.half().exp()  # fault: overflow
        ctx.save_for_backward(x, grown)
        return x * torch.sigmoid(x)

    @staticmethod
    def backward(ctx, grad):
        x, grown = ctx.saved_tensors
        s = grown.float() / (1 + grown.float())
        return grad * (s + x * s * (1 - s))


torch.manual_seed(0)
x = (torch.randn(64) * 6).requires_grad_()
Swish.apply(x).sum().backward()


def harm():
    return x.grad.isnan().float().mean().item()

# right:
#-         grown = x.half().exp()
#+         grown = x.exp()
