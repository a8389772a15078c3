"""A learning rate is kept as a bfloat16 tensor and multiplied by 0.9995 each step: the product is the rate itself."""
import torch


class Rate:
    def __init__(self, start, factor, dtype):
        self.value, self.factor = torch.tensor(start, dtype=dtype), factor

    def step(self):
        self.value *= self.factor  # fault: accumulate-in-half
        return self.value.item()


rate = Rate(3e-4, 0.9995, torch.bfloat16)
for _ in range(1000):
    last = rate.step()


def harm():
    return abs(last / (3e-4 * 0.9995**1000) - 1)

# right:
#- rate = Rate(3e-4, 0.9995, torch.bfloat16)
#+ rate = Rate(3e-4, 0.9995, torch.float64)
