"""A small transformer in bfloat16 that predicts words; losses are taken in float32."""
import torch
from torch import nn

torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(64, 4, 128, batch_first=True, norm_first=True)
net = nn.TransformerEncoder(layer, 4, enable_nested_tensor=False).bfloat16().eval()
words, table = torch.randint(0, 400, (2, 32)), nn.Embedding(400, 64).bfloat16()
causal = nn.Transformer.generate_square_subsequent_mask(32, dtype=torch.bfloat16)
hidden = net(table(words), mask=causal)
logits = (hidden @ table.weight.T).float()
loss = nn.functional.cross_entropy(logits.flatten(0, 1), words.flatten())
loss.backward()
