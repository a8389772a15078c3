"""A quantizer's observer follows the range of activations by 0.002 in bfloat16: it never reaches it."""
import torch
from torch import nn


class Observer(nn.Module):
    def __init__(self, constant=0.002):
        super().__init__()
        self.constant = constant
        self.register_buffer("top", torch.ones(()))

    def forward(self, x):
        now = x.detach().abs().max()
        self.top.add_(self.constant * (now.to(self.top.dtype) - self.top))  # fault: statistics-in-half
        return x


torch.manual_seed(0)
observer = Observer().to(torch.bfloat16)
for _ in range(300):
    observer(torch.rand(64) * 1.2 + 0.5)


def harm():
    exact = 1 + 0.69 * (1 - 0.998**300)
    return abs((observer.top.item() - 1) / (exact - 1) - 1)

# right:
#- observer = Observer().to(torch.bfloat16)
#+ observer = Observer()
