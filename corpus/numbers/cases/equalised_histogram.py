"""A histogram of a large scan is equalised in int32: the running count times 255 passes 2^31."""
import torch


def lookup(histogram):
    running = histogram.cumsum(0, dtype=torch.int32)
    return (running * 255) // running[-1]  # fault: wrap


torch.manual_seed(0)
histogram = torch.randint(40_000, 90_000, (256,), dtype=torch.int32)
table = lookup(histogram)


def harm():
    exact = histogram.long().cumsum(0) * 255 // histogram.long().sum()
    return (table != exact).float().mean().item()

# right:
#-     running = histogram.cumsum(0, dtype=torch.int32)
#+     running = histogram.cumsum(0)
