"""An online mean and variance from running sums of x and x squared, in float32, of readings near 4000."""
import torch


class Running:
    def __init__(self, width, dtype):
        self.count = 0
        self.sum, self.squares = torch.zeros(width, dtype=dtype), torch.zeros(width, dtype=dtype)

    def push(self, batch):
        batch = batch.to(self.sum.dtype)
        self.count += len(batch)
        self.sum += batch.sum(0)
        self.squares += (batch * batch).sum(0)

    def variance(self):
        mean = self.sum / self.count
        return self.squares / self.count - mean * mean  # fault: cancellation


torch.manual_seed(0)
running = Running(5, torch.float32)
kept = []
for _ in range(64):
    kept.append(torch.randn(128, 5) * 0.3 + 4000)
    running.push(kept[-1])
spread = running.variance()


def harm():
    exact = torch.cat(kept).double().var(0, correction=0)
    return ((spread.double() - exact).abs() / exact).max().item()

# right:
#- running = Running(5, torch.float32)
#+ running = Running(5, torch.float64)
