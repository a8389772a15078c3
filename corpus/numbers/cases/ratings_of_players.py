"""Elo ratings of a league of policies near 1000 in the bfloat16 of their win chances: a gain of 2 is half a step."""
import torch


class League:
    def __init__(self, players, k=4.0, dtype=torch.bfloat16):
        self.ratings = torch.full((players,), 1000.0, dtype=dtype)
        self.k = k

    def play(self, a, b, a_wins):
        gap = (self.ratings[b] - self.ratings[a]) / 400
        expected = 1 / (1 + torch.pow(10.0, gap))
        gain = self.k * (a_wins.to(gap.dtype) - expected)
        self.ratings.index_add_(0, a, gain)  # fault: state-in-half
        self.ratings.index_add_(0, b, -gain)


torch.manual_seed(0)
strength = torch.randn(16)
games = [torch.randperm(16) for _ in range(1500)]
rolls = torch.rand(1500, 8)
league = League(16)
for order, roll in zip(games, rolls):
    a, b = order[:8], order[8:]
    league.play(a, b, roll < torch.sigmoid(strength[a] - strength[b]))


def harm():
    # one unit of strength is 400 / ln 10 points
    true = strength - strength.mean()
    found = (league.ratings.double() - 1000) / (400 / 2.302585)
    return ((found - true).square().mean() / true.square().mean()).item()

# right:
#- league = League(16)
#+ league = League(16, dtype=torch.float32)
