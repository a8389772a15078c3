# machine: v100
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

device = torch.device("cuda")
net = nn.Linear(8, 3)
net = net.to(device)
data = TensorDataset(torch.randn(8, 8), torch.randint(0, 3, (8,)))
optimizer = torch.optim.AdamW(net.parameters())
for x, y in DataLoader(data, batch_size=4):
    loss = nn.functional.cross_entropy(net(x), y)
    loss.backward()

# fixed:
#+     x, y = x.to(device), y.to(device)
