"""The loss of a batch is the sum over its tokens, kept in float16: 9,000 tokens of 8 are infinite."""
import torch
import torch.nn.functional as F


class TokenLoss(torch.nn.Module):
    def forward(self, logits, target):
        each = F.cross_entropy(logits.float(), target, reduction="none").to(logits.dtype)
        return each.sum(), each.numel()  # fault: overflow


torch.manual_seed(0)
logits, target = torch.randn(9000, 50) * 4, torch.randint(0, 50, (9000,))
total, count = TokenLoss()(logits.half(), target)
mean = total.float() / count


def harm():
    return 0.0 if mean.isfinite() else 1.0

# right:
#- total, count = TokenLoss()(logits.half(), target)
#+ total, count = TokenLoss()(logits, target)
