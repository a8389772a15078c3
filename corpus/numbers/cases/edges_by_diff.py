"""torch.diff of uint8 rows: a dark pixel after a bright one is a large step up."""
import torch

torch.manual_seed(0)
rows = torch.randint(0, 256, (8, 40), dtype=torch.uint8)
steps = torch.diff(rows, dim=1)  # fault: wrap
energy = steps.float().abs().mean()


def harm():
    return abs(energy.item() / rows.double().diff(dim=1).abs().mean().item() - 1)

# right:
#- steps = torch.diff(rows, dim=1)
#+ steps = torch.diff(rows.int(), dim=1)
