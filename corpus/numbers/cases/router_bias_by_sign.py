"""The bias that balances experts moves by 0.001 times a sign, in bfloat16: above 0.5 it stands still."""
import torch
from torch import nn


class Router(nn.Module):
    def __init__(self, width, experts, dtype=torch.bfloat16):
        super().__init__()
        self.gate = nn.Linear(width, experts, bias=False)
        self.register_buffer("bias", torch.full((experts,), 0.75, dtype=dtype))

    def forward(self, x):
        chosen = (self.gate(x).sigmoid() + self.bias).topk(2, -1).indices
        return torch.zeros(x.shape[0], self.bias.numel()).scatter_(1, chosen, 1.0)

    def balance(self, load, speed=1e-3):
        self.bias.sub_(speed * torch.sign(load - load.mean()).to(self.bias.dtype))  # fault: state-in-half


torch.manual_seed(0)
router = Router(16, 8)
with torch.no_grad():
    for _ in range(60):
        load = router(torch.randn(64, 16) + 0.3).mean(0)
        router.balance(load)


def harm():
    return (router.bias == 0.75).float().mean().item()

# right:
#-     def __init__(self, width, experts, dtype=torch.bfloat16):
#+     def __init__(self, width, experts, dtype=torch.float32):
