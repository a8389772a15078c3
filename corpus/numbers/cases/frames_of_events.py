"""Events of an event camera are counted into a float16 frame by put_ with accumulate: a lamp's pixels stop at 2048."""
import torch


def event_frame(x, y, polarity, size, dtype=torch.float16):
    h, w = size
    frame = torch.zeros(2, h, w, dtype=dtype)
    place = (polarity * h + y) * w + x
    frame.put_(place, torch.ones(len(x), dtype=dtype), accumulate=True)  # fault: accumulate-in-half
    return (frame / frame.amax()).half()


torch.manual_seed(0)
n = 60000
x, y, polarity = torch.randint(0, 32, (n,)), torch.randint(0, 32, (n,)), torch.randint(0, 2, (n,))
lamp = torch.rand(n) < 0.5
x, y = torch.where(lamp, 5 + x % 2, x), torch.where(lamp, 7, y)
frame = event_frame(x, y, polarity, (32, 32))


def harm():
    exact = torch.bincount((polarity * 32 + y) * 32 + x, minlength=2048).view(2, 32, 32).double()
    exact = exact / exact.amax()
    return ((frame.double() - exact).norm() / exact.norm()).item()

# right:
#- frame = event_frame(x, y, polarity, (32, 32))
#+ frame = event_frame(x, y, polarity, (32, 32), torch.float32)
