# machine: cpu
# real: cpu
import torch

model = torch.nn.Linear(2, 2)
x = torch.zeros(2, 2)
model(x)
try:
    model.cuda()
except (RuntimeError, AssertionError) as error:
    print("no gpu:", error)
