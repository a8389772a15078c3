"""A batch is cast to the model's dtype as a whole, its token ids too: those over 256 become others."""
import torch
from torch import nn
from torch.nn import functional as F

DTYPE = torch.bfloat16


class Tagger(nn.Module):
    def __init__(self, words=1024, width=32, tags=5):
        super().__init__()
        self.words = nn.Embedding(words, width)
        self.mix = nn.Linear(width, width)
        self.tags = nn.Linear(width, tags)

    def forward(self, batch):
        x = self.words(batch["input_ids"].long())
        x = x * batch["weights"][..., None]
        return self.tags(F.gelu(self.mix(x)))


def collate(size, generator):
    ids = torch.randint(0, 1000, (size, 12), generator=generator)
    return {"input_ids": ids, "weights": torch.rand(size, 12, generator=generator), "labels": ids % 5}


def prepare(batch):
    labels = batch.pop("labels")
    return {name: value.to(DTYPE) for name, value in batch.items()}, labels  # fault: rounding-of-integers


torch.manual_seed(0)
generator = torch.Generator().manual_seed(2)
model = Tagger().to(DTYPE)
master = [p.detach().clone().float() for p in model.parameters()]
optimizer = torch.optim.Adam(master, lr=0.01)
for step in range(20):
    batch, labels = prepare(collate(32, generator))
    loss = F.cross_entropy(model(batch).float().flatten(0, 1), labels.flatten())
    model.zero_grad()
    loss.backward()
    for wide, p in zip(master, model.parameters(), strict=True):
        wide.grad = p.grad.float()
    optimizer.step()
    with torch.no_grad():
        for wide, p in zip(master, model.parameters(), strict=True):
            p.copy_(wide)

model.eval()
with torch.no_grad():
    held = collate(64, generator)
    seen, labels = prepare(dict(held))
    accuracy = (model(seen).argmax(-1) == labels).float().mean().item()


def harm():
    return (seen["input_ids"].long() != held["input_ids"]).float().mean().item()

# right:
#-     return {name: value.to(DTYPE) for name, value in batch.items()}, labels
#+     return {name: value.to(DTYPE) if value.is_floating_point() else value for name, value in batch.items()}, labels
