"""The learnt temperature of a contrastive loss is one bfloat16 number of 4.6, which steps of 0.001 do not move."""
import torch
from torch import nn

torch.manual_seed(0)
pictures = nn.functional.normalize(torch.randn(16, 32), dim=-1)
texts = nn.functional.normalize(pictures + 0.2 * torch.randn(16, 32), dim=-1)
log_scale = nn.Parameter(torch.tensor(4.6052, dtype=torch.bfloat16))  # fault: half-parameters-without-master
start = log_scale.item()
optimizer = torch.optim.Adam([log_scale], lr=1e-3)
for _ in range(50):
    optimizer.zero_grad()
    logits = log_scale.float().exp() * pictures @ texts.T
    nn.functional.cross_entropy(logits, torch.arange(16)).backward()
    optimizer.step()


def harm():
    return float(log_scale.item() == start)

# right:
#- log_scale = nn.Parameter(torch.tensor(4.6052, dtype=torch.bfloat16))
#+ log_scale = nn.Parameter(torch.tensor(4.6052))
