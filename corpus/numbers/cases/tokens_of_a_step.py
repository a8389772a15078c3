"""Tokens that count are summed from a bfloat16 mask by a loop over rows, and divide the loss: 256 at most."""
import torch
import torch.nn.functional as F


def masked_mean(losses, keep):
    count = keep.new_zeros(())
    for row in keep.unbind(0):
        for one in row.split(1):
            count = count + one.squeeze()  # fault: accumulate-in-half
    return (losses * keep).float().sum() / count.float()


torch.manual_seed(0)
losses = torch.rand(8, 128).bfloat16()
keep = (torch.rand(8, 128) > 0.2)
mean = masked_mean(losses, keep.to(losses.dtype))


def harm():
    exact = (losses.double() * keep).sum() / keep.sum()
    return abs(mean.item() / exact.item() - 1)

# right:
#- mean = masked_mean(losses, keep.to(losses.dtype))
#+ mean = masked_mean(losses.float(), keep.float())
