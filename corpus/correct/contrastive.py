# machine: v100
"""SimCLR: two views per image, gradient accumulation, float16 autocast with a scaler."""

import torch
import torch.nn as nn
import torch.nn.functional as F


def encoder(width=16, out=8):
    return nn.Sequential(
        nn.Conv2d(3, width, 3, 2, 1), nn.BatchNorm2d(width), nn.ReLU(), nn.AdaptiveAvgPool2d(1), nn.Flatten(),
        nn.Linear(width, width), nn.ReLU(), nn.Linear(width, out),
    )


def augment(images):
    noise = 0.1 * torch.randn_like(images)
    gain = 1 + 0.2 * torch.rand(images.shape[0], 1, 1, 1, device=images.device, dtype=images.dtype)
    return (images + noise) * gain


def nt_xent(first, second, temperature):
    z = F.normalize(torch.cat([first, second]).float(), dim=1)
    logits = z @ z.T / temperature
    eye = torch.eye(len(z), dtype=torch.bool, device=z.device)
    logits = logits.masked_fill(eye, -1e4)
    half = len(first)
    target = torch.cat([torch.arange(half, 2 * half), torch.arange(half)]).to(z.device)
    return F.cross_entropy(logits, target)


class Trainer:
    def __init__(self, model, device, accumulate=2):
        self.model = model.to(device)
        self.device = device
        self.accumulate = accumulate
        self.temperature = nn.Parameter(torch.tensor(0.5, device=device))
        self.optimizer = torch.optim.SGD([*self.model.parameters(), self.temperature], lr=0.05)
        self.scaler = torch.amp.GradScaler(device)

    def step(self, images, last):
        images = images.to(self.device, non_blocking=True)
        with torch.autocast(self.device, torch.float16):
            first, second = self.model(augment(images)), self.model(augment(images))
            loss = nt_xent(first, second, self.temperature) / self.accumulate
        self.scaler.scale(loss).backward()
        if last:
            self.scaler.step(self.optimizer)
            self.scaler.update()
            self.optimizer.zero_grad()
        return loss.detach()


def main():
    torch.manual_seed(0)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    trainer = Trainer(encoder(), device)
    total = torch.zeros(1, device=device)
    for step in range(4):
        images = torch.rand(6, 3, 16, 16)
        total += trainer.step(images, last=step % 2 == 1)
    print(f"mean loss {total.item() / 4:.4f}")


if __name__ == "__main__":
    main()
