"""A cache of experts notes when each was used last in the same bfloat16 table as their hit rate: later ticks are equal."""
import torch


class ExpertCache:
    LAST, RATE = 0, 1

    def __init__(self, slots, dtype=torch.bfloat16):
        self.expert = torch.full((slots,), -1)
        self.table = torch.zeros(slots, 2, dtype=dtype)
        self.tick = 0

    def touch(self, expert):
        self.tick += 1
        found = (self.expert == expert).nonzero()
        slot = int(found[0]) if len(found) else int(self.table[:, self.LAST].argmin())
        self.expert[slot] = expert
        self.table[slot, self.LAST] = self.tick  # fault: rounding-of-integers
        self.table[slot, self.RATE].mul_(0.5).add_(0.5 if len(found) else 0.0)
        return bool(len(found))


torch.manual_seed(0)
asked = [i // 2 % 5 if i % 2 else int(torch.randint(5, 64, ())) for i in range(6000)]
cache, exact = ExpertCache(8), ExpertCache(8, torch.float64)
hits = [(cache.touch(e), exact.touch(e)) for e in asked][-4000:]


def harm():
    return sum(a != b for a, b in hits) / len(hits)

# right:
#- cache, exact = ExpertCache(8), ExpertCache(8, torch.float64)
#+ cache, exact = ExpertCache(8, torch.float32), ExpertCache(8, torch.float64)
