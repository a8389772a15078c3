"""Areas of triangles of a mesh that lies 5000 units from the origin, by cross products in float32."""
import torch


def areas(corners):
    a, b, c = corners.unbind(1)
    return 0.5 * (a[:, 0] * (b[:, 1] - c[:, 1]) + b[:, 0] * (c[:, 1] - a[:, 1]) + c[:, 0] * (a[:, 1] - b[:, 1]))  # fault: cancellation


torch.manual_seed(0)
corners = torch.randint(0, 41, (200, 3, 2)) / 2048 + 5000
size = areas(corners)


def harm():
    exact = areas(corners.double())
    return ((size.double() - exact).norm() / exact.norm()).item()

# right:
#- size = areas(corners)
#+ size = areas(corners - corners[:, :1])
