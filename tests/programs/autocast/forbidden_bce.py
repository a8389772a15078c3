# machine: v100
import torch
from torch import nn

model = nn.Sequential(nn.Linear(8, 1), nn.Sigmoid()).cuda()
criterion = nn.BCELoss()
# fixed: criterion = nn.MSELoss()
x, y = torch.randn(4, 8, device="cuda"), torch.ones(4, 1, device="cuda")
with torch.autocast("cuda"):
    loss = criterion(model(x), y)  # finding: autocast-forbids binary_cross_entropy
loss.backward()
