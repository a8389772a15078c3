"""Where a queue of keys goes on is a buffer of float numbers, which the model's cast makes float16."""
import torch
from torch import nn


class Queue(nn.Module):
    def __init__(self, size, width):
        super().__init__()
        self.size = size
        self.register_buffer("keys", torch.zeros(size, width))
        self.register_buffer("place", torch.zeros(1))

    @torch.no_grad()
    def put(self, keys):
        where = int(self.place)
        many = min(len(keys), self.size - where)
        self.keys[where:where + many] = keys[:many]
        self.place[0] = (self.place[0] + many) % self.size  # fault: index-in-half


torch.manual_seed(0)
queue = Queue(5000, 4).half()
for _ in range(99):
    queue.put(torch.ones(37, 4).half())


def harm():
    return abs(float(queue.place) - 99 * 37) / 100

# right:
#- queue = Queue(5000, 4).half()
#+ queue = Queue(5000, 4)
