"""The place of a heatmap's peak is cast to the heatmap's half before it is divided into column and row."""
import torch


def peaks(heat):
    width = heat.shape[-1]
    score, place = heat.flatten(2).max(-1)
    place = place.to(heat.dtype)  # fault: index-in-half
    row = torch.div(place, width, rounding_mode="floor")
    column = place - row * width
    return torch.stack([column, row], -1), score


torch.manual_seed(0)
heat = torch.rand(4, 17, 96, 72).half() * 0.5
truth = torch.stack([torch.randint(72, (4, 17)), torch.randint(96, (4, 17))], -1)
b, j = torch.meshgrid(torch.arange(4), torch.arange(17), indexing="ij")
heat[b, j, truth[..., 1], truth[..., 0]] = 0.9
found, score = peaks(heat)


def harm():
    return (found != truth).any(-1).float().mean().item()

# right:
#-     place = place.to(heat.dtype)
#-     row = torch.div(place, width, rounding_mode="floor")
#-     column = place - row * width
#+     row = torch.div(place, width, rounding_mode="floor").to(heat.dtype)
#+     column = (place % width).to(heat.dtype)
