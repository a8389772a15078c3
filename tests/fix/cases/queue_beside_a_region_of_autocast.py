# machine: a100
import torch
from torch import nn


class Bank(nn.Module):
    def __init__(self):
        super().__init__()
        self.proj = nn.Linear(4, 4)
        self.register_buffer("queue", torch.randn(4, 8))

    def forward(self, x):
        with torch.autocast("cuda", dtype=torch.bfloat16):
            q = self.proj(x)
        q = q / q.norm(dim=1, keepdim=True)
        return torch.einsum("nc,ck->nk", q, self.queue.clone())


net = Bank().to("cuda")
net(torch.randn(2, 4, device="cuda")).sum().backward()
# fixed:
#-         return torch.einsum("nc,ck->nk", q, self.queue.clone())
#+         return torch.einsum("nc,ck->nk", q.to(self.queue.dtype), self.queue.clone())
