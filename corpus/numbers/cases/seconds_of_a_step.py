"""Wall-clock times go into a float tensor to be gathered over ranks: differences are 0 or 128 seconds."""
import torch


class Timer:
    def __init__(self):
        self.marks = []

    def mark(self, now):
        self.marks.append(torch.tensor(now))  # fault: cancellation

    def durations(self):
        times = torch.stack(self.marks)
        return times[1:] - times[:-1]


timer = Timer()
for step in range(20):
    timer.mark(1_752_000_123.25 + 1.75 * step)
spent = timer.durations()


def harm():
    return (spent.double() - 1.75).abs().mean().item()

# right:
#-         self.marks.append(torch.tensor(now))
#+         self.marks.append(torch.tensor(now, dtype=torch.float64))
