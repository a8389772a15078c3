"""binary_cross_entropy_with_logits of a large mask in bfloat16: the mean has three digits."""
import torch
import torch.nn.functional as F


def evaluate(logits, mask):
    return F.binary_cross_entropy_with_logits(logits, mask.to(logits.dtype))  # fault: statistics-in-half


torch.manual_seed(0)
logits, mask = torch.randn(4, 64, 64) * 9 + 4, (torch.rand(4, 64, 64) > 0.7)
logits = logits.bfloat16()
losses = torch.stack([evaluate(x, m) for x, m in zip(logits, mask)])


def harm():
    exact = torch.stack([F.binary_cross_entropy_with_logits(x.double(), m.double()) for x, m in zip(logits, mask)])
    return (losses - exact).abs().max().item()

# right:
#- logits = logits.bfloat16()
#+ logits = logits.bfloat16().float()
