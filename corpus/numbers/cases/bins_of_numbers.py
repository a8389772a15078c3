"""The bin of a number in 0..1, of 1000 bins, from bfloat16."""
import torch

torch.manual_seed(0)
share = torch.rand(5000)
bin_ = (share.bfloat16() * 1000).long()  # fault: index-in-half


def harm():
    return (bin_ != (share * 1000).long()).float().mean().item()

# right:
#- bin_ = (share.bfloat16() * 1000).long()
#+ bin_ = (share * 1000).long()
