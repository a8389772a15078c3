"""Small integers as segmentation uses them: labels shifted by one, tiles, counts by class, masks of bytes."""
import torch

torch.manual_seed(0)
labels = torch.randint(0, 151, (2, 256, 256), dtype=torch.uint8)
labels[labels == 0] = 255
labels = labels - 1
labels[labels == 254] = 255
counts = torch.bincount(labels.flatten().long(), minlength=256)
mask = (torch.rand(2, 256, 256) > 0.5).to(torch.uint8)
area = mask.sum((1, 2))
tiles = torch.arange(16) // 64
halves = counts.sum() // 2
picture = torch.randint(0, 256, (3, 64, 64), dtype=torch.uint8)
bright = (picture.int() + 40).clamp(max=255).to(torch.uint8)
word = (picture.int() << 8) | picture
best = torch.randn(4, 3000).half().topk(5).indices
share = (mask > 0).float().mean()
