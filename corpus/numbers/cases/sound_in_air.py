"""A pressure wave of milli-pascals is added to 101,325 Pa in float32: its gradient is rounding."""
import torch


def step(pressure, velocity, dt, dx, density=1.2):
    gradient = (pressure[1:] - pressure[:-1]) / dx  # fault: cancellation
    velocity = velocity.clone()
    velocity[1:-1] -= dt / density * gradient
    return velocity


x = torch.linspace(0, 1, 201, dtype=torch.float64)
wave = 2e-3 * torch.sin(2 * torch.pi * 3 * x)


def simulate(dtype):
    ambient = torch.full((201,), 101_325.0, dtype=dtype)
    return step(ambient + wave.to(dtype), torch.zeros(202, dtype=dtype), 1e-5, 1 / 200)


velocity = simulate(torch.float32)


def harm():
    exact = simulate(torch.float64)
    return ((velocity.double() - exact).norm() / exact.norm()).item()

# right:
#- velocity = simulate(torch.float32)
#+ velocity = simulate(torch.float64)
