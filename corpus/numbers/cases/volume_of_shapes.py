"""Numbers of elements by prod of int32 shapes: a tensor of 3 billion has a negative size."""
import torch

shapes = torch.tensor([[2, 3, 4], [3000, 1000, 1000], [64, 64, 64]], dtype=torch.int32)
sizes = shapes.prod(1, dtype=shapes.dtype)  # fault: wrap
share = sizes / sizes.sum()


def harm():
    return abs(sizes[1].item() / 3e9 - 1)

# right:
#- sizes = shapes.prod(1, dtype=shapes.dtype)
#+ sizes = shapes.prod(1)
