"""A guided filter takes local variances of a float16 picture as the mean of squares less the square of the mean."""
import torch
import torch.nn.functional as F


def box(x, r):
    return F.avg_pool2d(x, 2 * r + 1, stride=1, padding=r, count_include_pad=False)


def guided_filter(guide, target, r=3, eps=1e-4):
    mean_g, mean_t = box(guide, r), box(target, r)
    covariance = box(guide * target, r) - mean_g * mean_t
    variance = box(guide * guide, r) - mean_g * mean_g  # fault: statistics-in-half
    slope = covariance / (variance + eps)
    return box(slope, r) * guide + box(mean_t - slope * mean_g, r)


torch.manual_seed(0)
guide = torch.full((1, 1, 64, 64), 0.8)
guide[..., 32:] += 0.05
guide = (guide + 0.01 * torch.randn(1, 1, 64, 64)).half()
target = (guide.float() * 2 - 0.9 + 0.05 * torch.randn(1, 1, 64, 64)).half()
smooth = guided_filter(guide, target).half()


def harm():
    exact = guided_filter(guide.double(), target.double())
    return ((smooth.double() - exact).square().mean().sqrt() / exact.std()).item()

# right:
#- smooth = guided_filter(guide, target).half()
#+ smooth = guided_filter(guide.float(), target.float()).half()
