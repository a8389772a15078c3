# machine: a100
# real: cpu
import torch
from torch import nn

dev = "cuda" if torch.cuda.is_available() else "cpu"
encoder = nn.TransformerEncoder(nn.TransformerEncoderLayer(16, 4, 32, batch_first=True), 2).to(dev)
decoder = nn.TransformerDecoder(nn.TransformerDecoderLayer(16, 4, 32, batch_first=True), 1).to(dev)
source, target = torch.randn(2, 5, 16, device=dev), torch.randn(2, 4, 16, device=dev)
padding = torch.tensor([[False] * 5, [False] * 3 + [True] * 2], device=dev)
memory = encoder(source, src_key_padding_mask=padding)
causal = nn.Transformer.generate_square_subsequent_mask(4, device=dev)
decoder(target, memory, tgt_mask=causal, memory_key_padding_mask=padding).mean().backward()
encoder.eval()
with torch.no_grad():
    encoder(source, src_key_padding_mask=padding)
