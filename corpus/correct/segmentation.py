# machine: t4
"""Semantic segmentation: a U-Net, cross entropy and dice, float16 autocast."""

import numpy as np
import torch
import torch.nn as nn
import torch.nn.functional as F
from torch.utils.data import DataLoader, Dataset

CLASSES = 4
device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class Shapes(Dataset):
    def __init__(self, length=8, size=16):
        self.length, self.size = length, size
        self.rng = np.random.default_rng(7)

    def __len__(self):
        return self.length

    def __getitem__(self, index):
        label = np.zeros((self.size, self.size), dtype=np.int64)
        label[2 : 2 + index, 3:9] = 1 + index % (CLASSES - 1)
        image = label[None].repeat(3, axis=0) / CLASSES + self.rng.normal(0, 0.1, (3, self.size, self.size))
        return torch.from_numpy(image).float(), torch.from_numpy(label)


def double_conv(inp, out):
    return nn.Sequential(
        nn.Conv2d(inp, out, 3, padding=1), nn.GroupNorm(4, out), nn.ReLU(inplace=True), nn.Conv2d(out, out, 3, padding=1)
    )


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.down1, self.down2 = double_conv(3, 8), double_conv(8, 16)
        self.up = nn.ConvTranspose2d(16, 8, 2, stride=2)
        self.out = nn.Sequential(double_conv(16, 8), nn.Conv2d(8, CLASSES, 1))

    def forward(self, x):
        high = self.down1(x)
        low = self.down2(F.max_pool2d(high, 2))
        return self.out(torch.cat([high, self.up(low)], dim=1))


def dice_loss(logits, target):
    probs = logits.float().softmax(dim=1)
    onehot = F.one_hot(target, CLASSES).permute(0, 3, 1, 2).to(probs.dtype)
    overlap = (probs * onehot).sum(dim=(2, 3))
    total = probs.sum(dim=(2, 3)) + onehot.sum(dim=(2, 3))
    return 1 - (2 * overlap / (total + 1e-6)).mean()


def confusion(predicted, target):
    index = target.flatten() * CLASSES + predicted.flatten()
    return torch.bincount(index, minlength=CLASSES**2).view(CLASSES, CLASSES)


def main():
    torch.manual_seed(0)
    model = UNet().to(device)
    optimizer = torch.optim.AdamW(model.parameters(), 1e-3)
    scaler = torch.amp.GradScaler(device.type)
    table = torch.zeros(CLASSES, CLASSES, dtype=torch.long, device=device)
    for images, labels in DataLoader(Shapes(), batch_size=4):
        images, labels = images.to(device), labels.to(device)
        with torch.autocast(device.type, dtype=torch.float16):
            logits = model(images)
            loss = F.cross_entropy(logits, labels) + dice_loss(logits, labels)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        table += confusion(logits.argmax(dim=1), labels)
        print(f"loss {loss.item():.4f}")
    iou = table.diag().float() / (table.sum(0) + table.sum(1) - table.diag()).clamp(min=1).float()
    print(f"mean IoU {iou.mean().item():.4f}")


if __name__ == "__main__":
    main()
