# machine: v100
"""A radiance field: rays, positional encoding, volume rendering; the network runs in half precision."""

import torch
import torch.nn as nn


class Encoding(nn.Module):
    def __init__(self, octaves):
        super().__init__()
        self.register_buffer("bands", 2.0 ** torch.arange(octaves))

    def forward(self, x):
        angles = (x[..., None] * self.bands).flatten(-2)
        return torch.cat([x, angles.sin(), angles.cos()], dim=-1)


class Field(nn.Module):
    def __init__(self, octaves=4, width=32):
        super().__init__()
        self.encode = Encoding(octaves)
        self.trunk = nn.Sequential(nn.Linear(3 + 6 * octaves, width), nn.ReLU(), nn.Linear(width, width), nn.ReLU())
        self.density, self.color = nn.Linear(width, 1), nn.Linear(width + 3, 3)

    def forward(self, points, directions):
        hidden = self.trunk(self.encode(points))
        density = torch.relu(self.density(hidden)).squeeze(-1)
        color = torch.sigmoid(self.color(torch.cat([hidden, directions], dim=-1)))
        return density, color


def make_rays(pose, size):
    axis = torch.linspace(-1, 1, size, device=pose.device)
    y, x = torch.meshgrid(axis, axis, indexing="ij")
    local = torch.stack([x, -y, -torch.ones_like(x)], dim=-1).view(-1, 3)
    directions = nn.functional.normalize(local @ pose[:3, :3].T, dim=-1)
    return pose[:3, 3].expand_as(directions), directions


def render(field, origins, directions, samples, dtype):
    depth = torch.linspace(0.5, 3.0, samples, device=origins.device)
    points = origins[:, None] + depth[None, :, None] * directions[:, None]
    views = directions[:, None].expand_as(points)
    density, color = field(points.to(dtype), views.to(dtype))
    density, color = density.float(), color.float()
    gaps = torch.cat([depth[1:] - depth[:-1], torch.full((1,), 0.1, device=depth.device)])
    alpha = 1 - torch.exp(-density * gaps)
    clear = torch.cumprod(torch.cat([torch.ones_like(alpha[:, :1]), 1 - alpha + 1e-6], dim=1), dim=1)[:, :-1]
    return ((alpha * clear)[..., None] * color).sum(dim=1)


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    field = Field().to(device)
    optimizer = torch.optim.Adam(field.parameters(), lr=1e-3)
    pose = torch.eye(4, device=device)
    pose[2, 3] = 2.0
    picture = torch.rand(36, 3).to(device)
    for step in range(2):
        rendered = render(field, *make_rays(pose, 6), samples=8, dtype=torch.float32)
        loss = nn.functional.mse_loss(rendered, picture)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        print(f"step {step}: {loss.item():.4f}")
    field.half()
    with torch.no_grad():
        view = render(field, *make_rays(pose, 6), samples=8, dtype=torch.float16)
    print(f"view {view.mean().item():.4f}")


if __name__ == "__main__":
    main()
