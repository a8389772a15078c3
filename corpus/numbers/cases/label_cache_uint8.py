"""A cached data set stores the labels of 1000 classes as uint8 next to the images: label 300 comes back as 44."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
images = torch.randint(0, 256, (128, 3, 8, 8), dtype=torch.uint8)
labels = torch.randint(0, 1000, (128,))
cache = {"images": images, "labels": labels.to(torch.uint8)}  # fault: wrap

model = nn.Linear(192, 1000)
inputs = cache["images"].flatten(1).float() / 255
target = cache["labels"].long()
loss = F.cross_entropy(model(inputs), target)
loss.backward()


def harm():
    return ((target - labels).double().norm() / labels.double().norm()).item()

# right:
#- cache = {"images": images, "labels": labels.to(torch.uint8)}
#+ cache = {"images": images, "labels": labels.to(torch.int16)}
