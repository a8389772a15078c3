# machine: t4
"""Classify images with a convolutional network in half precision."""

import numpy as np
import torch
from torch import nn

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
DTYPE = torch.float16


class Block(nn.Module):
    def __init__(self, inp, out):
        super().__init__()
        self.conv = nn.Conv2d(inp, out, 3, padding=1, bias=False)
        self.norm = nn.BatchNorm2d(out)
        self.scale = nn.Parameter(torch.ones(out, 1, 1))

    def forward(self, x):
        return torch.relu(self.norm(self.conv(x))) * self.scale


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.stem = Block(3, 8)
        self.body = nn.Sequential(Block(8, 16), nn.MaxPool2d(2), Block(16, 16))
        self.head = nn.Linear(16, 10)

    def forward(self, x):
        x = self.body(self.stem(x))
        return self.head(x.mean(dim=(2, 3)))


def read_images(count):
    rng = np.random.default_rng(3)
    pixels = rng.integers(0, 256, (count, 32, 32, 3), dtype=np.uint8)
    images = pixels.astype(np.float32) / 255.0
    mean = np.array([0.485, 0.456, 0.406], dtype=np.float32)
    std = np.array([0.229, 0.224, 0.225], dtype=np.float32)
    return torch.from_numpy((images - mean) / std).permute(0, 3, 1, 2)


def blur(images):
    kernel = torch.ones(3, 1, 3, 3, device=images.device, dtype=images.dtype) / 9
    return nn.functional.conv2d(images, kernel, padding=1, groups=3)


@torch.inference_mode()
def predict(net, images):
    images = images.to(DEVICE, dtype=DTYPE)
    views = torch.stack([net(images), net(images.flip(-1)), net(blur(images))])
    weights = torch.tensor([0.5, 0.25, 0.25], device=DEVICE, dtype=DTYPE)
    logits = torch.einsum("v,vbc->bc", weights, views)
    return torch.softmax(logits.float(), dim=-1)


def main():
    torch.manual_seed(1)
    net = Net().to(DEVICE).half().eval()
    for part in read_images(8).split(4):
        scores = predict(net, part)
        best = scores.max(dim=-1)
        print("best:", [f"{value:.3f}" for value in best.values.tolist()])


if __name__ == "__main__":
    main()
