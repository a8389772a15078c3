"""The entropy temperature of soft actor-critic is a bfloat16 parameter near -1.6: Adam steps of 3e-4 are below half its spacing and it never moves."""
import torch
from torch import nn

torch.manual_seed(0)
actor = nn.Linear(8, 4).bfloat16()
observations = torch.randn(200, 32, 8).bfloat16()
target_entropy = 1.2
log_alpha = nn.Parameter(torch.tensor([-1.6], dtype=torch.bfloat16))  # fault: half-parameters-without-master
start = log_alpha.detach().clone()
optimizer = torch.optim.Adam([log_alpha], lr=3e-4)
gaps = []
for batch in observations:
    with torch.no_grad():
        log_probs = actor(batch).float().log_softmax(-1)
        entropy = -(log_probs.exp() * log_probs).sum(-1).mean()
    gaps.append((entropy - target_entropy).item())
    loss = log_alpha.float().exp().squeeze() * gaps[-1]
    optimizer.zero_grad()
    loss.backward()
    optimizer.step()


def harm():
    exact = nn.Parameter(start.double())
    trainer = torch.optim.Adam([exact], lr=3e-4)
    for gap in gaps:
        trainer.zero_grad()
        (exact.exp().squeeze() * gap).backward()
        trainer.step()
    found, right = (log_alpha.double() - start.double()).item(), (exact - start.double()).item()
    return abs(found - right) / abs(right)

# right:
#- log_alpha = nn.Parameter(torch.tensor([-1.6], dtype=torch.bfloat16))
#+ log_alpha = nn.Parameter(torch.tensor([-1.6]))
