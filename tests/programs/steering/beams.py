# machine: v100
# real: cpu
# Until all sequences are done.
import torch

dev = "cuda" if torch.cuda.is_available() else "cpu"
torch.manual_seed(0)
embed, head = torch.nn.Embedding(11, 4).to(dev), torch.nn.Linear(4, 11).to(dev)
done = torch.zeros(4, dtype=torch.bool, device=dev)
last = torch.ones(4, dtype=torch.long, device=dev)
scores = torch.zeros(4, device=dev)
steps = 0
with torch.no_grad():
    while not done.all():
        p = head(embed(last)).log_softmax(-1)
        last = torch.multinomial(p.exp(), 1).squeeze(1)
        scores = scores + torch.where(done, 0.0, p.gather(1, last[:, None]).squeeze(1))
        done = done | (last == 2)
        steps += 1
active = torch.arange(4, device=dev)
while active.numel() > 0:
    draws = torch.randint(0, 3, (len(active),), device=dev)
    active = active[draws != 2]
torch.nn.Linear(4, 2).to(dev).half()(torch.randn(3, 4, device=dev))  # finding: operand-dtype-mismatch linear input
