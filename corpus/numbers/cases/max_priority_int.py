"""The largest priority of a replay buffer is kept in an integer tensor and loses its fraction."""
import torch


class ReplayBuffer:
    def __init__(self, capacity):
        self.priorities = torch.zeros(capacity)
        self.max_priority = torch.tensor(1)  # fault: rounding-of-integers
        self.size = 0

    def add(self, count):
        self.priorities[self.size:self.size + count] = self.max_priority
        self.size += count

    def update(self, indices, errors, alpha=0.6):
        fresh = (errors.abs() + 1e-6) ** alpha
        self.priorities[indices] = fresh
        self.max_priority.copy_(torch.maximum(self.max_priority, fresh.max()))

    def sample(self, count):
        return torch.multinomial(self.priorities[:self.size], count, replacement=True)


torch.manual_seed(0)
buffer = ReplayBuffer(4096)
largest = 1.0
for _ in range(20):
    buffer.add(64)
    indices = buffer.sample(32)
    errors = 2 * torch.randn(32)
    buffer.update(indices, errors)
    largest = max(largest, ((errors.abs() + 1e-6) ** 0.6).max().item())
buffer.add(64)


def harm():
    given = buffer.priorities[buffer.size - 1].item()
    return float(abs(given - largest) / largest)

# right:
#-         self.max_priority = torch.tensor(1)
#+         self.max_priority = torch.tensor(1.0)
