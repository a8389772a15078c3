"""Areas of polygons by the shoelace formula on pixel coordinates in float16: x times y passes 65504."""
import torch


def area(points):
    x, y = points.unbind(-1)
    cross = x * y.roll(-1, -1) - y * x.roll(-1, -1)  # fault: overflow
    return cross.sum(-1).abs() / 2


dtype = torch.half
corners = torch.tensor([[[300.0, 310.0], [600.0, 320.0], [590.0, 640.0], [310.0, 620.0]]])
areas = area(corners.to(dtype))


def harm():
    exact = area(corners.double())
    return float(not areas.isfinite().all()) or ((areas - exact).abs() / exact).max().item()

# right:
#- dtype = torch.half
#+ dtype = torch.float
