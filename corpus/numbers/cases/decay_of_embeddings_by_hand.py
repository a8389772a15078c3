"""Weight decay by hand on bfloat16 embeddings: a factor of 0.9995 rounds back to the same number."""
import torch
from torch import nn
from torch.nn import functional as F


class Recommender(nn.Module):
    def __init__(self, users, items, width):
        super().__init__()
        self.users = nn.Embedding(users, width)
        self.items = nn.Embedding(items, width)

    def forward(self, user, item):
        return (self.users(user) * self.items(item)).sum(-1)


def batches(count, size=128):
    generator = torch.Generator().manual_seed(3)
    for _ in range(count):
        user = torch.randint(0, 40, (size,), generator=generator)
        item = torch.randint(0, 60, (size,), generator=generator)
        yield user, item, ((user + item) % 2).float()


torch.manual_seed(0)
model = Recommender(50, 80, 16).bfloat16()  # fault: half-parameters-without-master
unseen = model.users.weight[45:].detach().float().norm()
lr, decay = 0.01, 0.05
momentum = {name: torch.zeros_like(p, dtype=torch.float32) for name, p in model.named_parameters()}
losses = []
for user, item, liked in batches(40):
    loss = F.binary_cross_entropy_with_logits(model(user, item).float(), liked)
    model.zero_grad()
    loss.backward()
    with torch.no_grad():
        for name, p in model.named_parameters():
            p.mul_(1 - lr * decay)
            momentum[name].mul_(0.9).add_(p.grad.float())
            p.copy_(p.float() - lr * 10 * momentum[name])
    losses.append(loss.item())

model.eval()
with torch.no_grad():
    right = [((model(u, i) > 0).float() == y).float().mean() for u, i, y in batches(3)]
accuracy = torch.stack(right).mean()


def harm():
    wanted = (1 - lr * decay) ** 40
    ratio = (model.users.weight[45:].detach().float().norm() / unseen).item()
    return abs(ratio - wanted) / (1 - wanted)

# right:
#- model = Recommender(50, 80, 16).bfloat16()
#+ model = Recommender(50, 80, 16)
