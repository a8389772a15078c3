# machine: a100
import torch
from torch import nn
from torch.nn.utils.rnn import pack_padded_sequence, pad_packed_sequence

rnn = nn.LSTM(4, 8, batch_first=True).cuda()
words = torch.randn(3, 7, 4).cuda()
lengths = torch.tensor([7, 5, 2]).cuda()  # origin
# fixed: lengths = torch.tensor([7, 5, 2])
packed = pack_padded_sequence(words, lengths, batch_first=True)  # finding: operand-device-mismatch _pack_padded_sequence lengths
out, _ = pad_packed_sequence(rnn(packed)[0], batch_first=True)
assert out.shape == (3, 7, 8)  # the lengths are known, wherever they are
