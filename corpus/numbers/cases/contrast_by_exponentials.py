"""A contrastive loss sums exponentials of float16 similarities over a temperature: they are infinite."""
import torch
import torch.nn.functional as F


class Contrast(torch.nn.Module):
    def __init__(self, temperature):
        super().__init__()
        self.temperature = temperature

    def forward(self, a, b):
        similar = F.normalize(a.float(), dim=-1) @ F.normalize(b.float(), dim=-1).T
        weights = torch.exp((similar / self.temperature).to(a.dtype))  # fault: overflow
        return -torch.log(weights.diag() / weights.sum(1)).mean()


torch.manual_seed(0)
a = torch.randn(12, 16)
loss = Contrast(0.05)(a.half(), a.half())


def harm():
    exact = Contrast(0.05)(a.double(), a.double())
    value = abs(loss.item() - exact.item())
    return value if value == value and value < 10 else 10.0

# right:
#- loss = Contrast(0.05)(a.half(), a.half())
#+ loss = Contrast(0.05)(a, a)
