# machine: v100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
model = nn.Sequential(nn.Linear(4, 4), nn.ReLU(), nn.Linear(4, 2)).to(dev)
seen = []
model[0].register_forward_hook(lambda m, i, o: seen.append(o.detach().mean()))
model[2].register_forward_pre_hook(lambda m, i: (i[0].clamp(min=0),))
model[2].register_full_backward_hook(lambda m, gi, go: seen.append(go[0].norm()))
model[0].weight.register_hook(lambda g: g * 0.5)
model[0].weight.register_post_accumulate_grad_hook(lambda p: seen.append(p.grad.sum()))
x = torch.randn(2, 4, device=dev, requires_grad=True)
model(x).sum().backward()
assert len(seen) == 3 and all(s.device == x.device for s in seen)
