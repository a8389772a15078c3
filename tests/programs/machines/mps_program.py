# machine: m1
import torch
import torch.nn.functional as F
from torch import nn

device = torch.accelerator.current_accelerator() or torch.device("cpu")
model = nn.Sequential(nn.Conv2d(3, 4, 3), nn.ReLU(), nn.Flatten(), nn.Linear(144, 10)).to(device)
optimizer = torch.optim.AdamW(model.parameters())
with torch.autocast("mps", dtype=torch.float16):
    loss = F.cross_entropy(model(torch.randn(2, 3, 8, 8, device=device)), torch.tensor([1, 2], device=device))
loss.backward()  # finding: scaler-misused step param
optimizer.step()
torch.mps.synchronize()
torch.mps.empty_cache()
print(loss.item())
