"""A learning rate as a bfloat16 tensor, times 0.9995 each step: the factor is 1."""
import torch


def schedule(rate, factor, steps):
    for _ in range(steps):
        yield rate
        rate = rate * factor


rate = torch.tensor(0.1, dtype=torch.bfloat16)
factor = torch.tensor(0.9995, dtype=rate.dtype)  # fault: accumulate-in-half
rates = torch.stack([*schedule(rate, factor, 1000)])


def harm():
    return abs(rates[-1].item() / (0.1 * 0.9995**999) - 1)

# right:
#- rate = torch.tensor(0.1, dtype=torch.bfloat16)
#+ rate = torch.tensor(0.1, dtype=torch.float32)
