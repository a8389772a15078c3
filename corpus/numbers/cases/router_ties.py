"""A router's probabilities over 128 experts are cast to bfloat16 before topk: near ones tie, other experts are chosen."""
import torch
from torch import nn


class Router(nn.Module):
    def __init__(self, width, experts, chosen, dtype):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.chosen, self.dtype = chosen, dtype

    def forward(self, tokens):
        chances = self.gate(tokens).softmax(-1)
        weights, experts = chances.to(self.dtype).topk(self.chosen)  # fault: rounding-of-integers
        return weights / weights.sum(-1, keepdim=True), experts


torch.manual_seed(3)
tokens = torch.randn(512, 64) * 0.3
router = Router(64, 128, 8, torch.bfloat16)
weights, experts = router(tokens)


def harm():
    best = router.gate(tokens).double().softmax(-1).topk(8).indices
    return (best.sort(-1).values != experts.sort(-1).values).any(-1).float().mean().item()

# right:
#- router = Router(64, 128, 8, torch.bfloat16)
#+ router = Router(64, 128, 8, torch.float32)
