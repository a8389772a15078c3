"""A tracker multiplies Gaussian likelihoods of 30 detections in float32: each is 1e-3, the product is 0."""
import torch


class Track:
    def __init__(self, spread, dtype):
        self.spread, self.score = spread, torch.ones((), dtype=dtype)

    def meet(self, residual):
        chance = torch.exp(-0.5 * (residual / self.spread) ** 2)
        self.score = self.score * chance.prod()


torch.manual_seed(0)
track = Track(1.0, torch.float32)
for _ in range(60):
    track.meet((torch.randn(3) + 1.0))
weight = torch.log(track.score)  # fault: underflow


def harm():
    return 0.0 if weight.isfinite() else 1.0

# right:
#-         chance = torch.exp(-0.5 * (residual / self.spread) ** 2)
#-         self.score = self.score * chance.prod()
#+         self.score = self.score - (0.5 * (residual / self.spread) ** 2).sum()
#- weight = torch.log(track.score)
#+ weight = track.score
