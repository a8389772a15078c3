"""A head divides by the root of the sum of squares of wide float16 features: the sum is infinite, the logits 0."""
import torch
from torch import nn


class Head(nn.Module):
    def __init__(self, width, classes):
        super().__init__()
        self.weight = nn.Parameter(torch.randn(classes, width) / width ** 0.5)

    def forward(self, x):
        length = (x ** 2).sum(-1, keepdim=True).sqrt()  # fault: overflow
        return 16 * (x / length) @ self.weight.T.to(x.dtype)


torch.manual_seed(0)
head = Head(2048, 10)
x = torch.randn(4, 2048) * 9
with torch.no_grad():
    logits = head(x.half())


def harm():
    return (logits == 0).float().mean().item()

# right:
#-     logits = head(x.half())
#+     logits = head(x)
