# machine: a100
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda")
labels = torch.randint(0, 3, (16,))
weights = 1 / torch.bincount(labels, minlength=3).clamp(min=1).float()
criterion = nn.CrossEntropyLoss(weight=weights)
net = nn.Linear(4, 3).to(device)
for x, y in DataLoader(TensorDataset(torch.randn(16, 4), labels), batch_size=4):
    criterion(net(x.to(device)), y.to(device)).backward()
# fixed:
#- criterion = nn.CrossEntropyLoss(weight=weights)
#+ criterion = nn.CrossEntropyLoss(weight=weights).to(device)
