# machine: v100
# real: cpu
# mse_loss promotes: half prediction and float32 target run, backward too in torch 2.13 (pytorch/pytorch#175743).
import torch
import torch.nn.functional as F
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Linear(4, 4).to(dev, torch.bfloat16 if dev == "cpu" else torch.float16)
x = torch.randn(2, 4, device=dev).to(model.weight.dtype)
loss = F.mse_loss(model(x), torch.randn(2, 4, device=dev))
loss.backward()
F.l1_loss(model(x).float(), torch.randn(2, 4, device=dev)).backward()
F.smooth_l1_loss(model(x), torch.randn(2, 4, device=dev).to(x.dtype)).backward()
print(loss.dtype)
