"""A ray tracer solves b * b - c for spheres 20 km away in float32: the discriminant is the difference of two 4e8."""
import torch


def hit(origin, ray, centre, radius):
    toward = centre - origin
    b = (toward * ray).sum(-1)
    c = (toward * toward).sum(-1) - radius**2
    inside = b * b - c  # fault: cancellation
    depth = b - inside.clamp_min(0).sqrt()
    return inside > 0, depth


torch.manual_seed(0)
centre = torch.tensor([20000.0, 3000.0, 500.0])
aim = centre + torch.randn(4000, 3) * 2
ray = torch.nn.functional.normalize(aim, dim=-1)
origin = torch.zeros(3)
seen, depth = hit(origin, ray, centre, 2.0)


def harm():
    toward, r = centre.double(), ray.double()
    r = r / r.norm(dim=-1, keepdim=True)
    exact = torch.linalg.cross(toward.expand_as(r), r).norm(dim=-1) < 2.0
    return (seen != exact).float().mean().item()

# right:
#-     c = (toward * toward).sum(-1) - radius**2
#-     inside = b * b - c
#+     aside = toward - b[..., None] * ray
#+     inside = radius**2 - (aside * aside).sum(-1)
