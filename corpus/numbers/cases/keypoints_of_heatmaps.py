"""Key points are decoded from heatmaps: the flat argmax goes into a tensor with their dtype before % and // by the width."""
import torch


def decode(heatmaps):
    b, k, h, w = heatmaps.shape
    score, flat = heatmaps.flatten(2).max(-1)
    points = heatmaps.new_zeros(b, k, 2)
    points[..., 0] = flat  # fault: index-in-half
    points[..., 1] = torch.div(points[..., 0], w, rounding_mode="floor")
    points[..., 0] %= w
    return points, score


torch.manual_seed(0)
place = torch.stack([torch.randint(0, 72, (4, 17)), torch.randint(0, 96, (4, 17))], -1)
ys, xs = torch.meshgrid(torch.arange(96.0), torch.arange(72.0), indexing="ij")
away = (xs - place[..., 0, None, None]).square() + (ys - place[..., 1, None, None]).square()
points, score = decode(torch.exp(-away / 8).half())


def harm():
    return ((points.float() - place).abs().amax(-1) > 0.5).float().mean().item()

# right:
#-     points = heatmaps.new_zeros(b, k, 2)
#-     points[..., 0] = flat
#-     points[..., 1] = torch.div(points[..., 0], w, rounding_mode="floor")
#-     points[..., 0] %= w
#+     points = torch.stack([flat % w, flat // w], -1).to(heatmaps.dtype)
