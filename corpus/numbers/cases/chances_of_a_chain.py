"""A hidden chain's forward chances are multiplied up in float32 over 400 symbols: they become 0."""
import torch
from torch import nn


class Chain(nn.Module):
    def __init__(self, states, symbols):
        super().__init__()
        self.moves = nn.Parameter(torch.randn(states, states))
        self.shows = nn.Parameter(torch.randn(states, symbols))

    def forward(self, text):
        moves, shows = self.moves.softmax(-1), self.shows.softmax(-1)
        alpha = torch.full((len(moves),), 1 / len(moves))
        for symbol in text:
            alpha = (alpha @ moves) * shows[:, symbol]
        return -alpha.sum().log()  # fault: underflow


class Scaled(Chain):
    def forward(self, text):
        moves, shows = self.moves.softmax(-1), self.shows.softmax(-1)
        alpha, total = torch.full((len(moves),), 1 / len(moves)), 0.0
        for symbol in text:
            beta = (alpha @ moves) * shows[:, symbol]
            total = total - beta.sum().log()
            alpha = beta / beta.sum()
        return total


torch.manual_seed(0)
chain = Chain(4, 12)
with torch.no_grad():
    loss = chain(torch.randint(0, 12, (180,)))


def harm():
    return 1.0 if loss.isinf() else 0.0

# right:
#- chain = Chain(4, 12)
#+ chain = Scaled(4, 12)
