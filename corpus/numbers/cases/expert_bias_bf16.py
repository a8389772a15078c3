"""The load-balancing bias of a router is kept in the model's bfloat16: steps of 0.001 stop moving it."""
import torch
from torch import nn


class Router(nn.Module):
    def __init__(self, dim, experts, top, dtype):
        super().__init__()
        self.top = top
        self.gate = nn.Linear(dim, experts, dtype=dtype)
        self.register_buffer("expert_bias", torch.zeros(experts, dtype=dtype))  # fault: state-in-half

    def forward(self, x):
        scores = self.gate(x).float()
        return (scores + self.expert_bias).topk(self.top, dim=-1).indices

    @torch.no_grad()
    def balance(self, chosen, rate=1e-3):
        load = torch.bincount(chosen.flatten(), minlength=len(self.expert_bias)).float()
        self.expert_bias += rate * torch.sign(load.mean() - load)


torch.manual_seed(0)
router = Router(16, 8, 2, torch.bfloat16)
with torch.no_grad():
    router.gate.bias[:2] = 3.0
tokens = torch.randn(1600, 128, 16).bfloat16()
for batch in tokens:
    router.balance(router(batch))


def harm():
    chosen = router(tokens[-8:].reshape(-1, 16))
    load = torch.bincount(chosen.flatten(), minlength=8).double()
    excess = (load.max() / load.mean()).item() - 1
    return float(excess)

# right:
#-         self.register_buffer("expert_bias", torch.zeros(experts, dtype=dtype))
#+         self.register_buffer("expert_bias", torch.zeros(experts))
