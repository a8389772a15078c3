"""Fine samples along rays: an inverse of a cumulative sum kept in bfloat16, where bins near 1 have no width."""
import torch


def sample_pdf(bins, weights, n):
    weights = weights + 1e-5
    pdf = weights / weights.sum(-1, keepdim=True)
    cdf = torch.cumsum(pdf, -1)  # fault: accumulate-in-half
    cdf = torch.cat([torch.zeros_like(cdf[..., :1]), cdf], -1)
    u = torch.linspace(0, 1, n, dtype=cdf.dtype).expand(*cdf.shape[:-1], n).contiguous()
    above = torch.searchsorted(cdf, u, right=True).clamp(max=cdf.shape[-1] - 1)
    below = (above - 1).clamp(min=0)
    low, high = cdf.gather(-1, below), cdf.gather(-1, above)
    width = torch.where(high - low < 1e-5, torch.ones_like(low), high - low)
    t = (u - low) / width
    return bins.gather(-1, below) + t * (bins.gather(-1, above) - bins.gather(-1, below))


torch.manual_seed(0)
weights = torch.rand(4, 512) + 0.1
bins = torch.linspace(2.0, 6.0, 513).expand(4, 513)
depth = sample_pdf(bins.bfloat16(), weights.bfloat16(), 128)
exact = sample_pdf(bins.double(), weights.double(), 128)


def harm():
    gaps = exact.diff(dim=-1).mean()
    return ((depth.double() - exact).abs().mean() / gaps).item()

# right:
#- depth = sample_pdf(bins.bfloat16(), weights.bfloat16(), 128)
#+ depth = sample_pdf(bins.float(), weights.float(), 128)
