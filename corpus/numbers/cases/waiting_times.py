"""Waiting times by -log(1 - u) in bfloat16: u rounds to 1 and the time is infinite."""
import torch


def waits(rate, count, dtype):
    u = torch.rand(count).to(dtype)
    return -torch.log(1 - u) / rate  # fault: cancellation


torch.manual_seed(0)
times = waits(2.0, 20000, torch.bfloat16)


def harm():
    return float(times.isinf().any()) + abs(times[times.isfinite()].float().mean().item() - 0.5)

# right:
#- times = waits(2.0, 20000, torch.bfloat16)
#+ times = waits(2.0, 20000, torch.float32)
