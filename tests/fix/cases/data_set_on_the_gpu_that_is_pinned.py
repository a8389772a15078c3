# machine: a100
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset

device = torch.device("cuda")


class Series(Dataset):
    def __init__(self):
        self.values = torch.arange(16.0).to(device)

    def __len__(self):
        return len(self.values)

    def __getitem__(self, index):
        return self.values[index : index + 1]


net = nn.Linear(1, 1).to(device)
for x in DataLoader(Series(), batch_size=4, pin_memory=True):
    net(x)
# fixed:
#-         self.values = torch.arange(16.0).to(device)
#+         self.values = torch.arange(16.0)
#+     x = x.to(device)
