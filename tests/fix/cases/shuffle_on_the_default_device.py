# machine: a100
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.set_default_device("cuda")
net = torch.nn.Linear(4, 2)
loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=2, shuffle=True)
for (x,) in loader:
    net(x)
# fixed:
#- loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=2, shuffle=True)
#+ loader = DataLoader(TensorDataset(torch.randn(8, 4)), batch_size=2, shuffle=True, generator=torch.Generator(device="cuda"))
