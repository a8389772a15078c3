"""Positional encoding of NeRF with 12 octaves in a custom Function, in the float16 of its input."""
import torch


class Encode(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, octaves):
        bands = 2.0 ** torch.arange(octaves, dtype=x.dtype)
        angle = x[..., None] * bands * torch.pi
        ctx.save_for_backward(angle, bands)
        return torch.cat([angle.sin(), angle.cos()], -1)  # fault: angle-in-half

    @staticmethod
    def backward(ctx, grad):
        angle, bands = ctx.saved_tensors
        a, b = grad.chunk(2, -1)
        return ((a * angle.cos() - b * angle.sin()) * bands * torch.pi).sum(-1), None


torch.manual_seed(0)
points = torch.rand(64, 3).half()
cast = points.half()
code = Encode.apply(cast, 12)


def harm():
    return (code.double() - Encode.apply(points.double(), 12)).abs().max().item()

# right:
#- cast = points.half()
#+ cast = points.float()
