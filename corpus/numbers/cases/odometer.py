"""A simulator adds dt = 0.004 to a float16 clock; after 8 seconds the clock stands still."""
import torch


class World:
    def __init__(self, count, dtype):
        self.time = torch.zeros(count, dtype=dtype)

    def advance(self, dt):
        self.time = torch.add(self.time, dt)  # fault: accumulate-in-half
        return torch.sin(self.time.float())


world = World(3, torch.float16)
for _ in range(5000):
    angle = world.advance(0.004)


def harm():
    return abs(world.time[0].item() / 20 - 1)

# right:
#- world = World(3, torch.float16)
#+ world = World(3, torch.float64)
