# machine: a100
# real: cpu
# note: static_cache.py:23: raised as in torch, because the program catches it
# Keys and values under autocast: a growing cache, which begins empty in float32, widens them; a static one refuses them.
import torch
from torch.distributions import Normal
from transformers import DynamicCache, LlamaConfig, LlamaForCausalLM, StaticCache

dev = "cuda" if torch.cuda.is_available() else "cpu"
config = LlamaConfig(
    vocab_size=32, hidden_size=16, intermediate_size=16, num_hidden_layers=1, num_attention_heads=2, num_key_value_heads=2
)
net, ids = LlamaForCausalLM(config).to(dev).eval(), torch.ones(1, 4, dtype=torch.int64, device=dev)
half = Normal(torch.zeros(2, device=dev).half(), torch.ones((), device=dev))
assert half.sample().dtype is torch.float16 and half.rsample().dtype is torch.float32
grown, fixed = DynamicCache(), StaticCache(config=config, max_cache_len=8)
with torch.no_grad():
    net(ids, past_key_values=StaticCache(config=config, max_cache_len=8))
    with torch.autocast(dev, torch.bfloat16):
        net(ids, past_key_values=grown)
        assert grown.layers[0].keys.dtype is grown.layers[0].values.dtype is torch.float32
        try:
            net(ids, past_key_values=fixed)
            refused = False
        except RuntimeError as error:
            refused = "(self) Float and (source) BFloat16" in str(error)
            fixed = None
assert refused and fixed is None
