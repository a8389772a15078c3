# machine: v100
"""Generate with a Llama in half precision: own sampling loop with a cache, a logits processor, a soft prompt."""

import torch
from transformers import LlamaConfig, LlamaForCausalLM, LogitsProcessor, LogitsProcessorList

device = "cuda" if torch.cuda.is_available() else "cpu"


class TokenBias(LogitsProcessor):
    def __init__(self, vocabulary, banned):
        self.bias = torch.zeros(vocabulary, device=device)
        self.bias[banned] = -1e4

    def __call__(self, input_ids, scores):
        return scores + self.bias.to(scores.dtype)


def top_p(logits, p):
    ordered, index = logits.float().sort(descending=True, dim=-1)
    probs = ordered.softmax(dim=-1)
    keep = probs.cumsum(dim=-1) - probs < p
    probs = torch.where(keep, probs, torch.zeros_like(probs))
    choice = torch.multinomial(probs / probs.sum(dim=-1, keepdim=True), 1)
    return index.gather(-1, choice)


@torch.inference_mode()
def continue_text(model, ids, soft, count):
    embeds = model.get_input_embeddings()(ids)
    embeds = torch.cat([soft.expand(len(ids), -1, -1), embeds], dim=1)
    mask = torch.ones(embeds.shape[:2], dtype=torch.long, device=ids.device)
    out = model(inputs_embeds=embeds, attention_mask=mask, use_cache=True)
    cache, made = out.past_key_values, []
    for _ in range(count):
        token = top_p(out.logits[:, -1] / 0.7, 0.9)
        made.append(token)
        mask = torch.cat([mask, torch.ones(len(ids), 1, dtype=torch.long, device=ids.device)], dim=1)
        out = model(input_ids=token, attention_mask=mask, past_key_values=cache, use_cache=True)
    return torch.cat(made, dim=1), out.logits


def main():
    torch.manual_seed(0)
    config = LlamaConfig(
        vocab_size=50, hidden_size=16, intermediate_size=32, num_hidden_layers=2, num_attention_heads=2,
        num_key_value_heads=1, max_position_embeddings=64, bos_token_id=0, eos_token_id=1, pad_token_id=2,
    )
    model = LlamaForCausalLM(config).half().to(device).eval()
    ids = torch.tensor([[0, 5, 9, 12], [0, 7, 7, 30]], device=device)
    soft = torch.randn(1, 3, 16, device=device, dtype=torch.float16) * 0.02
    made, logits = continue_text(model, ids, soft, 4)
    print("made", made.shape, f"{logits.float().std().item():.3f}")
    out = model.generate(
        ids, max_new_tokens=4, do_sample=False, attention_mask=torch.ones_like(ids),
        logits_processor=LogitsProcessorList([TokenBias(50, [1, 2])]),
    )
    print("generated", out.shape)


if __name__ == "__main__":
    main()
