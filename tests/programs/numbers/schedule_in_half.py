# machine: a100
# A schedule that is made in bfloat16 on a device: steps between neighbours are 0, or half of what they should be.
import torch


def schedule(dtype):
    sigmas = torch.linspace(1.0, 0.003, 51, device="cuda", dtype=dtype)[:-1]
    return 5 * sigmas / (1 + 4 * sigmas)


for i in range(49):
    exact = schedule(torch.float32)[i + 1] - schedule(torch.float32)[i]
half = schedule(torch.bfloat16)
for i in range(49):
    step = half[i + 1] - half[i]  # finding: difference-cancels sub self
