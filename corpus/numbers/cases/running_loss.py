"""The total of an epoch's losses in bfloat16 stands still once it is 256 times a loss."""
import torch

torch.manual_seed(0)
losses = torch.rand(1200) + 0.5
epoch_loss = torch.zeros(1, dtype=torch.bfloat16)
for batch_loss in losses:
    epoch_loss += batch_loss.bfloat16()  # fault: accumulate-in-half


def harm():
    return abs(epoch_loss.item() / losses.double().sum().item() - 1)

# right:
#- epoch_loss = torch.zeros(1, dtype=torch.bfloat16)
#+ epoch_loss = torch.zeros(1)
#-     epoch_loss += batch_loss.bfloat16()
#+     epoch_loss += batch_loss
