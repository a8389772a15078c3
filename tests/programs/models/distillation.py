# machine: a100
# real: cpu
import copy

import torch
import torch.nn.functional as F
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
student = nn.Sequential(nn.Linear(8, 8), nn.Dropout(0.1), nn.Linear(8, 4)).to(dev)
teacher = copy.deepcopy(student).eval().requires_grad_(False)
center = torch.zeros(1, 4, device=dev)
momentum = torch.linspace(0.9, 1, 5)
for it in range(3):
    x = torch.randn(6, 8, device=dev)
    with torch.no_grad():
        t = F.softmax((teacher(x) - center) / 0.04, dim=-1)
        center = center * 0.9 + t.mean(0, keepdim=True) * 0.1
    s = F.log_softmax(student(x) / 0.1, dim=-1)
    loss = torch.sum(-t * s, dim=-1).mean() + F.kl_div(s, t, reduction="batchmean", log_target=False)
    loss.backward()
    with torch.no_grad():
        m = momentum[it]
        for ps, pt in zip(student.parameters(), teacher.parameters()):
            pt.data.mul_(m).add_((1 - m) * ps.detach().data)
