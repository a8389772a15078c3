"""A streaming confusion matrix in float16 is filled by index_put_ with accumulate."""
import torch

torch.manual_seed(0)


class Confusion:
    def __init__(self, classes, dtype):
        self.table = torch.zeros(classes, classes, dtype=dtype)

    def add(self, truth, guess):
        one = torch.ones(truth.shape, dtype=self.table.dtype)
        self.table.index_put_((truth, guess), one, accumulate=True)  # fault: accumulate-in-half


confusion = Confusion(2, torch.float16)
for _ in range(40):
    truth = torch.randint(0, 2, (400,))
    confusion.add(truth, truth)


def harm():
    return 1 - confusion.table.double().sum().item() / (40 * 400)

# right:
#- confusion = Confusion(2, torch.float16)
#+ confusion = Confusion(2, torch.float32)
