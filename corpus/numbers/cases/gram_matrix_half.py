"""The Gram matrix of a style loss is divided by the number of positions only after the float16 product has passed 65504."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
conv = nn.Conv2d(3, 16, 3, padding=1).half()
picture, style = torch.rand(2, 1, 3, 64, 64).half() * 20


def gram(image):
    features = F.relu(conv(image)).flatten(2)
    return features @ features.transpose(1, 2) / features.shape[-1]  # fault: overflow


with torch.no_grad():
    matrix = gram(style)
    loss = (gram(picture).float() - matrix.float()).square().mean()


def harm():
    with torch.no_grad():
        features = F.relu(conv(style)).flatten(2).double()
    right = features @ features.transpose(1, 2) / features.shape[-1]
    return ((matrix.double() - right).norm() / right.norm()).item()

# right:
#-     return features @ features.transpose(1, 2) / features.shape[-1]
#+     return features.float() @ features.float().transpose(1, 2) / features.shape[-1]
