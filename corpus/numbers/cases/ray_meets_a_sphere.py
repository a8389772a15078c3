"""The distance at which a ray enters a small far sphere, by the roots of a quadratic: b * b - c cancels in float32."""
import torch


def enter(origin, direction, centre, radius):
    away = origin - centre
    b = (away * direction).sum(-1)
    c = away.square().sum(-1) - radius**2
    inside = b * b - c  # fault: cancellation
    hit = inside > 0
    return hit, -b - inside.clamp_min(0).sqrt()


torch.manual_seed(0)
centre, radius = torch.tensor([900.0, -1200.0, 2500.0]), 0.5
aim = centre + (torch.rand(500, 3) - 0.5) * 0.8
direction = torch.nn.functional.normalize(aim.double(), dim=-1).float()
hit, distance = enter(torch.zeros(3), direction, centre, radius)


def harm():
    true_direction = direction.double() / direction.double().norm(dim=-1, keepdim=True)
    b = (-centre.double() * true_direction).sum(-1)
    missed = -centre.double() - b[:, None] * true_direction
    exact = missed.norm(dim=-1) < radius
    return (hit != exact).float().mean().item()

# right:
#-     inside = b * b - c
#+     inside = radius**2 - (away - b[..., None] * direction).square().sum(-1)
