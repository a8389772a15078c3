"""Mean square displacements by FFT: sums of squares of places less twice their autocorrelation, in float32, far from zero."""
import torch


def autocorrelation(x):
    n = x.shape[0]
    f = torch.fft.rfft(x, n=2 * n, dim=0)
    return torch.fft.irfft(f.abs().square(), n=2 * n, dim=0)[:n].sum(-1)


def displacement(places):  # (frames, 3)
    n = len(places)
    square = places.square().sum(-1)
    head, tail = square.cumsum(0), square.flip(0).cumsum(0)
    both = head.flip(0) + tail.flip(0)
    return (both - 2 * autocorrelation(places)) / torch.arange(n, 0, -1)  # fault: cancellation


torch.manual_seed(0)
steps = 0.02 * torch.randn(1000, 3)
places = torch.tensor([40.0, 55.0, 30.0]) + steps.cumsum(0)
msd = displacement(places)


def harm():
    lags = torch.arange(1, 20)
    exact = torch.stack([(places[k:].double() - places[:-k].double()).square().sum(-1).mean() for k in lags])
    return (msd[1:20] / exact - 1).abs().max().item()

# right:
#- msd = displacement(places)
#+ msd = displacement((places - places.mean(0)).double()).float()
