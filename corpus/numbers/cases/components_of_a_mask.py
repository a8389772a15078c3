"""Connected components by max pooling of pixel numbers, in the float16 of the mask: numbers behind 2048 fall together."""
import torch
import torch.nn.functional as F


def connected_components(mask, steps=40):
    b, _, h, w = mask.shape
    numbers = torch.arange(1, b * h * w + 1, device=mask.device, dtype=mask.dtype).view_as(mask)  # fault: rounding-of-integers
    labels = numbers * mask
    for _ in range(steps):
        labels = F.max_pool2d(labels, 3, stride=1, padding=1) * mask
    return labels


torch.manual_seed(0)
mask = torch.zeros(1, 1, 96, 96)
for y in range(0, 96, 4):
    for x in range(0, 96, 3):
        mask[0, 0, y : y + 2, x : x + 2] = 1  # 24 x 32 blots that do not touch
labels = connected_components(mask.half())


def harm():
    return abs(labels[labels > 0].unique().numel() / (24 * 32) - 1)

# right:
#- labels = connected_components(mask.half())
#+ labels = connected_components(mask.float())
