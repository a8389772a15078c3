"""Euler's time t += dt in bfloat16: at 1 the step of 0.002 is nothing, the flow never arrives."""
import torch


def integrate(field, x, steps, dtype):
    t = torch.zeros((), dtype=dtype)
    dt = 1.0 / steps
    for _ in range(steps):
        x = x + dt * field(x, t.float())
        t += dt  # fault: accumulate-in-half
    return x, t


torch.manual_seed(0)
x, t = integrate(lambda x, t: 2 * t - 0 * x, torch.zeros(4), 1000, torch.bfloat16)


def harm():
    return abs(x.mean().item() - 1)

# right:
#- x, t = integrate(lambda x, t: 2 * t - 0 * x, torch.zeros(4), 1000, torch.bfloat16)
#+ x, t = integrate(lambda x, t: 2 * t - 0 * x, torch.zeros(4), 1000, torch.float32)
