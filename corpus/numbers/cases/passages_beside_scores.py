"""A retriever keeps its hits as rows of score and passage, and reads the passages from there."""
import torch
from torch import nn
import torch.nn.functional as F

torch.manual_seed(0)
PASSAGES, SIZE = 6000, 16


class Encoder(nn.Module):
    def __init__(self):
        super().__init__()
        self.lin = nn.Linear(SIZE, SIZE)
        with torch.no_grad():
            self.lin.weight.copy_(torch.eye(SIZE))

    def forward(self, x):
        return F.normalize(self.lin(x), dim=-1)


@torch.no_grad()
def search(encoder, questions, index, k=4):
    score = encoder(questions) @ index.t()
    best, place = score.topk(k)
    return torch.stack([best, place], -1).half()  # fault: index-in-half


def train(encoder, pairs, steps=10):
    optimizer = torch.optim.Adam(encoder.parameters(), lr=1e-3)
    question, passage = pairs
    for _ in range(steps):
        logits = encoder(question) @ encoder(passage).t() * 20
        loss = F.cross_entropy(logits, torch.arange(len(logits)))
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return loss.item()


passages = torch.randn(PASSAGES, SIZE)
wanted = torch.randint(0, PASSAGES, (64,))
questions = passages[wanted] + 0.02 * torch.randn(64, SIZE)
encoder = Encoder()
loss = train(encoder, (questions, passages[wanted]))
with torch.no_grad():
    index = encoder(passages)
hits = search(encoder, questions, index)
first = hits[:, 0, 1].long()
answers = F.cosine_similarity(passages[first], questions)


def harm():
    return (hits[:, 0, 1].long() != wanted).float().mean().item()

# right:
#-     return torch.stack([best, place], -1).half()
#+     return torch.stack([best.double(), place.double()], -1)
