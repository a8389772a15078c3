"""Priorities of a replay buffer, kept in bfloat16, go a five-hundredth of the way to a new error at each visit."""
import torch


class Replay:
    def __init__(self, size, dtype):
        self.priority = torch.ones(size, dtype=dtype)

    def update(self, where, errors, rate=0.002):
        old = self.priority[where]
        self.priority[where] = ((1 - rate) * old + rate * errors.abs().to(old.dtype))  # fault: state-in-half

    def sample(self, many):
        share = self.priority.float() / self.priority.float().sum()
        return torch.multinomial(share, many, replacement=False)


torch.manual_seed(0)
replay = Replay(64, torch.bfloat16)
for _ in range(400):
    where = replay.sample(48)
    replay.update(where, 0.1 * torch.randn(48) + where / 640)


def harm():
    return abs(replay.priority.float().mean().item() - 0.6)

# right:
#- replay = Replay(64, torch.bfloat16)
#+ replay = Replay(64, torch.float32)
