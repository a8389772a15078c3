"""A loss is weighted by signal over noise, alpha / (1 - alpha), in float16: near the first steps the noise is 0."""
import torch


class Weights:
    def __init__(self, dtype, steps=1000):
        noise = torch.linspace(1e-4, 0.02, steps)
        self.bar = torch.cumprod(1 - noise, 0).to(dtype)

    def __call__(self, t, gamma=5e4):
        bar = self.bar[t]
        ratio = bar / (1 - bar)  # fault: cancellation
        return ratio.float().clamp(max=gamma) / ratio.float()


weights = Weights(torch.float16)(torch.arange(8))


def harm():
    exact = Weights(torch.float64)
    bar = exact.bar[:8]
    ratio = (lambda one: one / (1 - one))(Weights(torch.float16).bar[:8].double())
    mine = bar / (1 - bar)
    return (weights.double() - (mine.clamp(max=5e4) / mine)).abs().nan_to_num(1).mean().item()

# right:
#- weights = Weights(torch.float16)(torch.arange(8))
#+ weights = Weights(torch.float32)(torch.arange(8))
