# machine: v100
"""A physics-informed network in float64: the heat equation."""

import numpy as np
import torch
from torch import nn
from torch.autograd import grad

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
dtype = torch.float64


class Field(nn.Module):
    def __init__(self, width=16):
        super().__init__()
        self.register_buffer("scale", torch.tensor([np.pi, 1.0], dtype=dtype))
        self.layers = nn.Sequential(nn.Linear(2, width), nn.Tanh(), nn.Linear(width, width), nn.Tanh(), nn.Linear(width, 1))

    def forward(self, x, t):
        return self.layers(torch.stack([x, t], dim=-1) * self.scale).squeeze(-1)


def residual(field, x, t, diffusivity):
    x, t = x.requires_grad_(True), t.requires_grad_(True)
    u = field(x, t)
    ones = torch.ones_like(u)
    u_t = grad(u, t, ones, create_graph=True)[0]
    u_x = grad(u, x, ones, create_graph=True)[0]
    u_xx = grad(u_x, x, torch.ones_like(u_x), create_graph=True)[0]
    return u_t - diffusivity * u_xx


def main():
    torch.manual_seed(0)
    field = Field().to(device=device, dtype=dtype)
    diffusivity = nn.Parameter(torch.tensor(0.1, dtype=dtype, device=device))
    optimizer = torch.optim.Adam([*field.parameters(), diffusivity], lr=1e-3)
    grid = torch.from_numpy(np.linspace(0, 1, 16)).to(device)
    initial = torch.sin(np.pi * grid)
    for step in range(3):
        x = torch.rand(32, dtype=dtype, device=device)
        t = torch.rand(32, dtype=dtype, device=device)
        physics = residual(field, x, t, diffusivity).pow(2).mean()
        start = nn.functional.mse_loss(field(grid, torch.zeros_like(grid)), initial)
        loss = physics + 10 * start
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.6f}")
    basis = torch.stack([grid**k for k in range(4)], dim=1)
    values = field(grid, torch.ones_like(grid)).detach()
    solution = torch.linalg.lstsq(basis, values[:, None]).solution
    print(f"polynomial {solution.norm().item():.6f}")


if __name__ == "__main__":
    main()
