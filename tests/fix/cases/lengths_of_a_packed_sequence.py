# machine: a100
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

device = torch.device("cuda")
rnn = nn.GRU(4, 8, batch_first=True).to(device)
batch = {"words": torch.randn(3, 7, 4), "lengths": torch.tensor([7, 5, 2]), "tags": torch.randn(3, 7, 8)}
batch = {name: value.to(device) for name, value in batch.items()}
words, lengths = batch["words"], batch["lengths"]
packed = pack_padded_sequence(words, lengths, batch_first=True)
out, _ = pad_packed_sequence(rnn(packed)[0], batch_first=True)
loss = nn.functional.mse_loss(out, batch["tags"])
# fixed:
#- packed = pack_padded_sequence(words, lengths, batch_first=True)
#+ packed = pack_padded_sequence(words, lengths.cpu(), batch_first=True)
