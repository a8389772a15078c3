"""A network that paints what is missing, trained on the GPU in the precision that --dtype names."""

import argparse

import torch
from torch import nn

DTYPES = {"fp32": torch.float32, "fp16": torch.float16, "bf16": torch.bfloat16}


class Painter(nn.Module):
    def __init__(self):
        super().__init__()
        self.down = nn.Conv2d(4, 64, 3, padding=1)
        self.up = nn.Conv2d(64, 3, 3, padding=1)

    def forward(self, image, mask):
        seen = torch.cat([image * mask, mask], dim=1)
        return self.up(nn.functional.silu(self.down(seen)))


def holes(image):
    """1 where a pixel is seen, 0 where it is to be painted."""
    mask = torch.ones(image.shape[0], 1, *image.shape[2:], device=image.device)
    mask[:, :, 8:24, 8:24] = 0
    return mask


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--dtype", choices=DTYPES, default="fp32")
    parser.add_argument("--steps", type=int, default=20)
    args = parser.parse_args()
    dtype = DTYPES[args.dtype]

    model = Painter().to("cuda", dtype)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(args.steps):
        image = torch.rand(8, 3, 32, 32, device="cuda", dtype=dtype)
        loss = (model(image, holes(image)) - image).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if step % 10 == 9:
            print(f"step {step}: loss {loss.item():.4f}")


if __name__ == "__main__":
    main()
