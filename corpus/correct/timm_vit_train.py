# machine: v100
"""Train a timm ViT with soft targets, mixed precision and a moving average."""

import timm
import torch
import torch.nn.functional as F
from timm.utils import ModelEmaV3

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
CLASSES = 6


def soft_targets(labels, smoothing=0.1):
    off = smoothing / CLASSES
    target = torch.full((len(labels), CLASSES), off, device=labels.device)
    return target.scatter_(1, labels[:, None], 1.0 - smoothing + off)


def cutmix(images, target):
    order = torch.randperm(len(images), device=images.device)
    box = torch.zeros(1, 1, *images.shape[-2:], device=images.device, dtype=images.dtype)
    box[..., 4:12, 4:12] = 1.0
    share = box.mean()
    return images * (1 - box) + images[order] * box, target * (1 - share) + target[order] * share


def main():
    torch.manual_seed(0)
    model = timm.create_model("vit_tiny_patch16_224", img_size=32, depth=1, embed_dim=32, num_heads=2, num_classes=CLASSES)
    model.to(device)
    ema = ModelEmaV3(model, decay=0.9)
    optimizer = torch.optim.AdamW(model.parameters(), lr=1e-3)
    scaler = torch.amp.GradScaler(device.type)
    for step in range(2):
        images = torch.rand(4, 3, 32, 32).to(device)
        labels = torch.randint(0, CLASSES, (4,), dtype=torch.long).to(device)
        images, target = cutmix(images, soft_targets(labels))
        with torch.autocast(device.type, dtype=torch.float16):
            logits = model(images)
            loss = F.cross_entropy(logits, target)
        optimizer.zero_grad()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        ema.update(model)
        print(f"step {step}: {loss.item():.4f}")
    ema.module.eval()
    with torch.no_grad():
        print(f"average {ema.module(images).softmax(-1).max().item():.4f}")


if __name__ == "__main__":
    main()
