"""Places of patches made by arange in bfloat16."""
import torch

places = torch.arange(1000, dtype=torch.bfloat16)  # fault: index-in-half
rows, columns = (places / 32).floor(), places % 32


def harm():
    return (columns.long() != torch.arange(1000) % 32).float().mean().item()

# right:
#- places = torch.arange(1000, dtype=torch.bfloat16)
#+ places = torch.arange(1000, dtype=torch.float32)
