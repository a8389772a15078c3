"""Row numbers of a large table are kept as float32 features and cast back to look rows up."""
import torch

torch.manual_seed(0)
rows = torch.randint(2**24, 2**27, (500,))
features = torch.stack([rows.float(), torch.rand(500)], 1)  # fault: rounding-of-integers
again = features[:, 0].long()


def harm():
    return (again != rows).float().mean().item()

# right:
#- features = torch.stack([rows.float(), torch.rand(500)], 1)
#+ features = torch.stack([rows.double(), torch.rand(500).double()], 1)
