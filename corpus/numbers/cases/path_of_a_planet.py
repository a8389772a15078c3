"""A planet moves by small steps in float16: at a distance of 1 a step must be 0.0005 to change anything."""
import torch

torch.manual_seed(0)


def simulate(dtype, steps=600, dt=2e-4):
    x = torch.tensor([1.0, 0.0], dtype=dtype)
    v = torch.tensor([0.0, 1.0], dtype=dtype)
    for _ in range(steps):
        v = v - x / x.norm() ** 3 * dt
        x = x + v * dt  # fault: accumulate-in-half
    return x


end = simulate(torch.float16)


def harm():
    exact = simulate(torch.float64)
    return ((end - exact).norm() / (exact - torch.tensor([1.0, 0.0])).norm()).item()

# right:
#- end = simulate(torch.float16)
#+ end = simulate(torch.float32)
