"""Corners of boxes in a large photograph in float16: odd pixels behind 2048 do not exist."""
import torch

corners = torch.tensor([[2051, 3001, 2063, 3015], [4097, 10, 4103, 18]])
boxes = corners.to(torch.float16)  # fault: index-in-half
widths = (boxes[:, 2] - boxes[:, 0]).int()


def harm():
    return (widths - (corners[:, 2] - corners[:, 0])).abs().max().item()

# right:
#- boxes = corners.to(torch.float16)
#+ boxes = corners.to(torch.float32)
