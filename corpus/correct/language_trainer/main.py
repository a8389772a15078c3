# machine: a100
"""Train a GPT-2 in bfloat16: a package of several modules."""

import torch
from batches import Stream
from training import Trainer
from transformers import GPT2Config, GPT2LMHeadModel


def main():
    torch.manual_seed(0)
    device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
    config = GPT2Config(
        vocab_size=50, n_embd=16, n_layer=2, n_head=2, n_positions=32, resid_pdrop=0.0, embd_pdrop=0.0, attn_pdrop=0.0,
        bos_token_id=0, eos_token_id=49,
    )
    model = GPT2LMHeadModel(config).to(dtype=torch.bfloat16, device=device)
    trainer = Trainer(model, device, lr=1e-3)
    for step, batch in enumerate(Stream(device, count=3)):
        loss, value = trainer.step(batch)
        print(f"step {step}: loss {loss:.3f}, value {value:.3f}")


if __name__ == "__main__":
    main()
