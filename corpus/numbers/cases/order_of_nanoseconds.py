"""Events of several sensors are put in order by nanoseconds in float64, where some of them are the same instant."""
import torch

torch.manual_seed(0)
gaps = torch.randint(20, 400, (500,))
times = 1_700_000_000_000_000_000 + gaps.cumsum(0)
mixed = torch.randperm(500)
order = torch.argsort(times[mixed].double())  # fault: rounding-of-integers
sequence = mixed[order]


def harm():
    return (sequence != torch.arange(500)).double().mean().item()

# right:
#- order = torch.argsort(times[mixed].double())
#+ order = torch.argsort(times[mixed])
