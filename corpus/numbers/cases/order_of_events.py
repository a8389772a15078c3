"""Events are sorted by a key that joins day and second, in float32: seconds of one day are mixed up."""
import torch


def order(days, seconds):
    key = days.float() * 86400 + seconds.float()  # fault: rounding-of-integers
    return key.argsort(stable=True)


torch.manual_seed(0)
days = torch.full((200,), 19_700)
seconds = torch.randperm(200) + 400
found = order(days, seconds)


def harm():
    exact = (days * 86400 + seconds).argsort(stable=True)
    return (found != exact).float().mean().item()

# right:
#-     key = days.float() * 86400 + seconds.float()
#+     key = days * 86400 + seconds
