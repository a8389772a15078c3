# machine: v100
# real: cpu
import torch

device = "cuda" if torch.cuda.is_available() else "cpu"
net = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.ReLU()).to(device).eval()
program = torch.export.export(net, (torch.randn(2, 4, device=device),))  # note: without exporting
net(torch.randn(2, 4, device=device)).sum().backward()
exported = torch.export.export(net, (torch.randn(2, 4, device=device),))
print(program.module()(torch.randn(2, 4, device=device)).shape)
