# machine: v100
"""Distil a half-precision teacher into a student that trains under autocast."""

import torch
import torch.nn as nn
import torch.nn.functional as F


class ConvNet(nn.Module):
    def __init__(self, width, classes=10):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2d(1, width, 3, padding=1), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(width, width, 3, padding=1), nn.ReLU()
        )
        self.classify = nn.Linear(width, classes)

    def forward(self, x):
        features = self.features(x)
        return self.classify(features.mean(dim=(-2, -1))), features


def soft_loss(student, teacher, temperature=4.0):
    target = F.softmax(teacher.float() / temperature, dim=-1)
    logp = F.log_softmax(student.float() / temperature, dim=-1)
    return F.kl_div(logp, target, reduction="batchmean") * temperature**2


class Distiller:
    def __init__(self, teacher, student, device):
        self.device = device
        self.teacher = teacher.to(device).half().eval().requires_grad_(False)
        self.student = student.to(device)
        self.match = nn.Conv2d(8, 16, 1).to(device)
        self.optimizer = torch.optim.Adam([*self.student.parameters(), *self.match.parameters()], lr=1e-3)
        self.scaler = torch.amp.GradScaler(device.type)

    def step(self, images, labels):
        images, labels = images.to(self.device), labels.to(self.device)
        with torch.no_grad():
            wanted, hints = self.teacher(images.half())
        with torch.autocast(self.device.type, dtype=torch.float16):
            logits, features = self.student(images)
            matched = self.match(features)
        loss = F.cross_entropy(logits.float(), labels) + soft_loss(logits, wanted)
        loss = loss + 0.1 * F.mse_loss(matched.float(), hints.float())
        self.optimizer.zero_grad()
        self.scaler.scale(loss).backward()
        self.scaler.step(self.optimizer)
        self.scaler.update()
        return loss.item()


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    distiller = Distiller(ConvNet(16), ConvNet(8), device)
    for step in range(3):
        loss = distiller.step(torch.rand(4, 1, 8, 8), torch.randint(0, 10, (4,)))
        print(f"step {step}: {loss:.4f}")


if __name__ == "__main__":
    main()
