# machine: a100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = nn.Linear(4, 4)

    @torch.autocast(device_type="cuda" if torch.cuda.is_available() else "cpu", dtype=torch.bfloat16)
    def forward(self, x):
        return self.fc(x)


net = Net().to(dev)
out = net(torch.randn(2, 4, device=dev))
assert out.dtype == torch.bfloat16
with torch.no_grad(), torch.inference_mode():
    net(torch.randn(2, 4, device=dev))
out.float().mean().backward()
