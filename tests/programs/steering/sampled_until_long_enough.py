# machine: v100
# real: cpu
# A generation loop as libraries write it: what ends it for sure is a length, whatever the tokens are.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
net = torch.nn.Linear(8, 32).to(dev)
ids = torch.ones(2, 4, dtype=torch.long, device=dev)
unfinished = torch.ones(2, dtype=torch.long, device=dev)
steps = 0
while not bool(unfinished.max() == 0):
    probs = torch.softmax(net(torch.randn(2, 8, device=dev)), dim=-1)
    token = torch.multinomial(probs, num_samples=1).squeeze(1)
    ids = torch.cat([ids, token[:, None]], dim=-1)
    done = torch.full((2,), False, device=dev)
    done = done | torch.isin(token, torch.tensor([77], device=dev))
    done = done | torch.full((2,), ids.shape[1] >= 9, device=dev, dtype=torch.bool)
    unfinished = unfinished & ~done
    steps += 1
assert steps == 5, steps
net.half()(torch.randn(2, 8, device=dev))  # finding: operand-dtype-mismatch linear input
