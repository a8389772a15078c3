# machine: a100
# The cast changes nothing today, and would undo what is changed at the birth: both are in the story.
import torch

net = torch.nn.Linear(4, 4).cuda().half()
x = torch.randn(2, 4, device="cuda")  # origin
for _ in range(3):
    x = x.float()  # origin
net(x)  # finding: operand-dtype-mismatch linear input
