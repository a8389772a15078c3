"""Lengths of utterances take the dtype of the features: 2049 frames and more are rounded in float16, masks end early."""
import torch


def pad_mask(lengths, features):
    lengths = lengths.type_as(features)  # fault: index-in-half
    steps = torch.arange(features.shape[1])
    return steps[None] < lengths[:, None]


torch.manual_seed(0)
features = torch.randn(4, 3000, 2).half()
lengths = torch.tensor([2999, 2501, 2053, 2049])
mask = pad_mask(lengths, features)


def harm():
    return (mask.sum(1) - lengths).abs().max().item()

# right:
#-     lengths = lengths.type_as(features)
#+     lengths = lengths.to(torch.int32)
