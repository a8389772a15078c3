"""The audio codec averages the usage of its codebook in bfloat16 with decay 0.99: changes below half the spacing are rounded away and rare codes keep a wrong count."""
import torch
import torch.nn.functional as F

torch.manual_seed(0)
codes = 16
codebook = torch.randn(codes, 8)
popularity = torch.linspace(1.0, 3.0, codes)
usage = torch.full((codes,), 32.0, dtype=torch.bfloat16)
counts_seen = []
for step in range(600):
    chosen = torch.multinomial(popularity, 512, replacement=True)
    frames = codebook[chosen] + 0.05 * torch.randn(512, 8)
    nearest = torch.cdist(frames, codebook).argmin(-1)
    counts = F.one_hot(nearest, codes).sum(0)
    counts_seen.append(counts)
    usage.mul_(0.99).add_(counts.to(usage.dtype), alpha=0.01)  # fault: state-in-half
share = usage.float() / usage.float().sum()
dead = share < 0.2 / codes


def harm():
    right = torch.full((codes,), 32.0, dtype=torch.float64)
    for counts in counts_seen:
        right = right * 0.99 + counts.double() * 0.01
    return ((usage.double() - right).norm() / right.norm()).item()

# right:
#- usage = torch.full((codes,), 32.0, dtype=torch.bfloat16)
#+ usage = torch.full((codes,), 32.0)
#-     usage.mul_(0.99).add_(counts.to(usage.dtype), alpha=0.01)
#+     usage.mul_(0.99).add_(counts.to(usage.dtype), alpha=0.01)
