# machine: v100
# real: cpu
import numpy as np
import torch
import torch.nn.functional as F
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
image, text = nn.Linear(8, 4).to(dev), nn.Linear(6, 4).to(dev)
logit_scale = nn.Parameter(torch.ones([], device=dev) * np.log(1 / 0.07))
optimizer = torch.optim.AdamW([*image.parameters(), *text.parameters(), logit_scale])
a, b = F.normalize(image(torch.randn(5, 8, device=dev)), dim=-1), F.normalize(text(torch.randn(5, 6, device=dev)), dim=-1)
logits = logit_scale.exp() * a @ b.t()
labels = torch.arange(len(a), device=dev)
loss = (F.cross_entropy(logits, labels) + F.cross_entropy(logits.t(), labels, label_smoothing=0.1)) / 2
loss.backward()
optimizer.step()
with torch.no_grad():
    logit_scale.clamp_(0, np.log(100))
print((logits.argmax(1) == labels).float().mean().item())
