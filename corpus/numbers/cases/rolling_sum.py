"""A moving sum of 16 readings as a difference of two cumulative sums, in float32, of 200,000 readings near 1000."""
import torch


def moving(x, width):
    total = torch.cumsum(x, 0)
    return (total[width:] - total[:-width]) / width  # fault: cancellation


torch.manual_seed(0)
x = 1000 + torch.randn(60_000)
smooth = moving(x, 16) - 1000


def harm():
    exact = x.double().unfold(0, 16, 1).mean(-1)[1:] - 1000
    return ((smooth.double() - exact).norm() / exact.norm()).item()

# right:
#-     total = torch.cumsum(x, 0)
#+     total = torch.cumsum(x.double(), 0)
