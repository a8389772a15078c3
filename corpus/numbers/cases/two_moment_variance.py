"""The variance of a column is E[x^2] - E[x]^2 in float32: with values near 50000 the difference is rounding."""
import torch


class StandardScaler:
    def fit(self, table):
        self.mean = table.mean(dim=0)
        variance = table.pow(2).mean(dim=0) - self.mean.pow(2)  # fault: cancellation
        self.scale = variance.clamp(min=1e-6).sqrt()
        return self

    def transform(self, table):
        return (table - self.mean) / self.scale


torch.manual_seed(0)
price = 50_000 + 2 * torch.randn(4096)
height = 1.7 + 0.1 * torch.randn(4096)
table = torch.stack([price, height], dim=1)
features = StandardScaler().fit(table).transform(table)


def harm():
    std = features.double().std(dim=0, unbiased=False)
    return float((std - 1).abs().max().item())

# right:
#-         variance = table.pow(2).mean(dim=0) - self.mean.pow(2)
#+         variance = table.var(dim=0, unbiased=False)
