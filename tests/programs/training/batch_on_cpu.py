# machine: a100
import torch
from torch.utils.data import DataLoader, TensorDataset

model = torch.nn.Linear(4, 2).cuda()
loader = DataLoader(TensorDataset(torch.rand(8, 4), torch.zeros(8)), batch_size=2, pin_memory=True)
for x, y in loader:  # origin
    out = model(x)  # finding: operand-device-mismatch linear input
    # fixed: out = model(x.cuda())
