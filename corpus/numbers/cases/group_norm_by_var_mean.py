"""GroupNorm by torch.var_mean of a float16 feature map with values of 300: the variance is infinite."""
import torch


def group_norm(x, groups):
    b, c, *rest = x.shape
    grouped = x.reshape(b, groups, -1)
    var, mean = torch.var_mean(grouped, dim=-1, keepdim=True)  # fault: statistics-in-half
    return ((grouped - mean) * (var + 1e-3).rsqrt()).view(b, c, *rest)


torch.manual_seed(0)
x = torch.randn(2, 8, 6, 6) * 300
out = group_norm(x.half(), 4)


def harm():
    return abs(out.float().square().mean().sqrt().item() - 1)

# right:
#- out = group_norm(x.half(), 4)
#+ out = group_norm(x, 4)
