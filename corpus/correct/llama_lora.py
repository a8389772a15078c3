# machine: a100
"""LoRA fine-tuning of a Llama in bfloat16, with masked labels and gradient accumulation."""

import torch
from peft import LoraConfig, get_peft_model
from torch.utils.data import DataLoader
from transformers import LlamaConfig, LlamaForCausalLM

device = torch.device("cuda" if torch.cuda.is_available() else "cpu")
IGNORE = -100


def tiny_llama():
    return LlamaForCausalLM(
        LlamaConfig(
            vocab_size=60, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
            num_key_value_heads=1, max_position_embeddings=64, bos_token_id=0, eos_token_id=1, pad_token_id=2,
        )
    )


def examples(count):
    generator = torch.Generator().manual_seed(0)
    for number in range(count):
        length = 6 + number % 4
        yield {"ids": torch.randint(3, 60, (length,), generator=generator).tolist(), "prompt": 3}


def collate(samples):
    longest = max(len(sample["ids"]) for sample in samples)
    ids = torch.full((len(samples), longest), 2, dtype=torch.long)
    labels = torch.full((len(samples), longest), IGNORE, dtype=torch.long)
    mask = torch.zeros(len(samples), longest, dtype=torch.long)
    for row, sample in enumerate(samples):
        tokens = torch.tensor(sample["ids"])
        ids[row, : len(tokens)] = tokens
        labels[row, sample["prompt"] : len(tokens)] = tokens[sample["prompt"] :]
        mask[row, : len(tokens)] = 1
    return {"input_ids": ids, "labels": labels, "attention_mask": mask}


def main():
    torch.manual_seed(0)
    model = tiny_llama().to(device, dtype=torch.bfloat16)
    model = get_peft_model(model, LoraConfig(r=2, target_modules=["q_proj", "v_proj"], task_type="CAUSAL_LM"))
    model.train()
    optimizer = torch.optim.AdamW([p for p in model.parameters() if p.requires_grad], lr=1e-3)
    loader = DataLoader(list(examples(8)), batch_size=2, collate_fn=collate)
    seen = torch.tensor(0, device=device)
    for step, batch in enumerate(loader):
        batch = {name: tensor.to(device) for name, tensor in batch.items()}
        with torch.autocast(device.type, dtype=torch.bfloat16):
            loss = model(**batch).loss / 2
        loss.backward()
        seen += (batch["labels"] != IGNORE).sum()
        if step % 2 == 1:
            torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
            optimizer.step()
            optimizer.zero_grad()
            print(f"step {step}: loss {2 * loss.item():.3f}")
    print("tokens", int(seen))


if __name__ == "__main__":
    main()
