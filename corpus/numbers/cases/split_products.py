"""A long matrix product by 256 parts that are summed in float16: the sum of positive parts stalls."""
import torch


class Sliced(torch.autograd.Function):
    @staticmethod
    def forward(ctx, a, b, parts):
        ctx.save_for_backward(a, b)
        total = a.new_zeros(a.shape[0], b.shape[1])
        for x, y in zip(a.chunk(parts, 1), b.chunk(parts, 0)):
            total.add_(x @ y)  # fault: accumulate-in-half
        return total

    @staticmethod
    def backward(ctx, grad):
        a, b = ctx.saved_tensors
        return grad @ b.T, a.T @ grad, None


torch.manual_seed(0)
a, b = torch.rand(4, 4096), torch.rand(4096, 4)
dtype = torch.bfloat16
out = Sliced.apply(a.to(dtype), b.to(dtype), 512)


def harm():
    return ((out - a.double() @ b.double()) / (a.double() @ b.double())).abs().mean().item()

# right:
#- dtype = torch.bfloat16
#+ dtype = torch.float32
