# machine: a100
# note: flash_attn is not installed
# Transformers looks whether flash-attn is installed when a model asks for it: it is, where this program will run.
import importlib.metadata

import torch
from transformers import LlamaConfig, LlamaForCausalLM

config = LlamaConfig(
    vocab_size=32, hidden_size=32, intermediate_size=64, num_hidden_layers=1, num_attention_heads=4,
    num_key_value_heads=2,
)
model = LlamaForCausalLM._from_config(config, attn_implementation="flash_attention_2", dtype=torch.bfloat16).cuda()
assert importlib.metadata.version("flash-attn") > "2"
tokens = torch.randint(0, 32, (2, 8), device="cuda")
padded = torch.ones_like(tokens)
padded[0, :3] = 0
for mask in (None, padded):
    out = model(input_ids=tokens, attention_mask=mask, labels=tokens)
    assert out.logits.dtype is torch.bfloat16 and out.logits.shape == (2, 8, 32)
    out.loss.backward()
single = LlamaForCausalLM._from_config(config, attn_implementation="flash_attention_2", dtype=torch.float32).cuda()
with torch.autocast("cuda", dtype=torch.bfloat16):
    single(input_ids=tokens, labels=tokens).loss.backward()
single(input_ids=tokens)  # finding: unsupported-dtype flash_attn_func q
