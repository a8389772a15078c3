# machine: a100
"""Fine-tune a T5 in bfloat16 with a float32 copy of the weights, and translate."""

import torch
from transformers import T5Config, T5ForConditionalGeneration

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")


class MasterWeights:
    """The optimizer works in float32; the model gets bfloat16 copies."""

    def __init__(self, model, lr):
        self.pairs = [(p, p.detach().clone().float().requires_grad_(True)) for p in model.parameters()]
        self.optimizer = torch.optim.AdamW([master for _, master in self.pairs], lr=lr)

    def step(self):
        for weight, master in self.pairs:
            master.grad = weight.grad.float() if weight.grad is not None else None
        self.optimizer.step()
        with torch.no_grad():
            for weight, master in self.pairs:
                weight.copy_(master)
                weight.grad = None


def pairs(count):
    for number in range(count):
        source = torch.arange(3, 11) + number
        yield source, source.flip(0)


def make_batch(count=3):
    sources, targets = zip(*pairs(count))
    ids = torch.stack(sources).to(device)
    labels = torch.stack(targets).to(device)
    mask = torch.ones_like(ids)
    mask[0, 6:] = 0
    return {"input_ids": ids, "attention_mask": mask, "labels": labels}


def main():
    torch.manual_seed(0)
    config = T5Config(
        vocab_size=50, d_model=16, d_kv=8, d_ff=32, num_layers=1, num_heads=2, decoder_start_token_id=0, dropout_rate=0.0
    )
    model = T5ForConditionalGeneration(config).to(device).to(torch.bfloat16)
    weights = MasterWeights(model, lr=1e-3)
    for step in range(2):
        batch = make_batch()
        logits = model(**batch).logits
        loss = torch.nn.functional.cross_entropy(logits.float().transpose(1, 2), batch["labels"])
        loss.backward()
        weights.step()
        print(f"step {step}: {loss.item():.3f}")
    prefix = torch.zeros(3, 1, dtype=torch.long, device=device)
    out = model.generate(batch["input_ids"], decoder_input_ids=prefix, max_new_tokens=4, do_sample=False)
    print("translated", out.shape)


if __name__ == "__main__":
    main()
