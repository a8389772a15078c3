# machine: a100
import numpy as np
import torch
from torch import nn
from torch.utils.data import DataLoader, Dataset


class Windows(Dataset):
    def __init__(self, table):
        self.table = table

    def __len__(self):
        return 8

    def __getitem__(self, i):
        past, future = self.table[i : i + 4, 0], self.table[i + 4 : i + 6, 0]
        return torch.from_numpy(past), torch.from_numpy(future)


model = nn.Linear(4, 2).cuda()
optimizer = torch.optim.SGD(model.parameters(), 0.1)
for past, future in DataLoader(Windows(np.random.rand(16, 1)), batch_size=4):
    past, future = past.cuda(), future.cuda()
    loss = nn.functional.huber_loss(model(past), future)
    loss.backward()
    optimizer.step()
# fixed:
#-         return torch.from_numpy(past), torch.from_numpy(future)
#+         return torch.from_numpy(past).to(torch.float32), torch.from_numpy(future).to(torch.float32)
