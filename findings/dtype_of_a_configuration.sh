#!/usr/bin/env bash
# transformers 5.23.0: the dtype of a configuration counts for from_config, and not for the class itself.
# Guessed: both make the model in it. GPT2LMHeadModel(config) is float32; so is the model that a test or a training
# script builds from scratch, with a config that says bfloat16.
exec "$(dirname "$0")/compare" torch==2.13.0 numpy==2.4.6 transformers==5.23.0 <<'END'
from transformers import AutoModelForCausalLM, GPT2Config, GPT2LMHeadModel

config = GPT2Config(n_layer=1, n_embd=8, n_head=2, vocab_size=16, dtype="bfloat16")
print(AutoModelForCausalLM.from_config(config).dtype, GPT2LMHeadModel(config).dtype)
#> torch.bfloat16 torch.float32
END
