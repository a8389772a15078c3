"""uint8 pictures to float and back, rounded and clamped; labels and masks in small integers."""
import torch

torch.manual_seed(0)
picture = torch.randint(0, 256, (3, 16, 16), dtype=torch.uint8)
inputs = picture.float() / 127.5 - 1
output = inputs * 1.2
stored = ((output + 1) * 127.5).round().clamp(0, 255).to(torch.uint8)
truncated = (output.clamp(-1, 1) * 127.5 + 128).clamp(0, 255).to(torch.uint8)
labels = (torch.rand(16, 16) * 4).long()
mask = (torch.rand(16, 16) > 0.5).to(torch.uint8)
both = mask * (labels > 1).to(torch.uint8)
classes = torch.randn(4, 16, 16).argmax(0).to(torch.int8)
