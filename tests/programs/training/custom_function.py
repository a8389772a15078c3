# machine: a100
# real: cpu
import torch


class StraightThrough(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, scale):
        ctx.save_for_backward(x)
        ctx.scale = scale
        return torch.round(x * scale) / scale

    @staticmethod
    def backward(ctx, grad):
        (x,) = ctx.saved_tensors
        return grad * (x.abs() < 10).to(grad.dtype), None


class Scaled(torch.autograd.Function):
    @staticmethod
    @torch.amp.custom_fwd(device_type="cuda", cast_inputs=torch.float32)
    def forward(ctx, x):
        return x * 2

    @staticmethod
    @torch.amp.custom_bwd(device_type="cuda")
    def backward(ctx, grad):
        return grad * 2


dev = "cuda" if torch.cuda.is_available() else "cpu"
x = torch.randn(4, device=dev, requires_grad=True)
StraightThrough.apply(x, 8).sum().backward()
with torch.autocast(dev, dtype=torch.bfloat16):
    Scaled.apply(x).sum().backward()
assert x.grad.device == x.device
