"""A multimodal model in the shape of MiniCPM-V: vision tower, resampler, language model; LoRA on the last."""

import torch
from accelerate import cpu_offload_with_hook
from data import WORDS
from peft import LoraConfig, get_peft_model, get_peft_model_state_dict, set_peft_model_state_dict
from resampler import Resampler
from safetensors.torch import load_file, save_file
from torch import nn
from transformers import LlamaConfig, LlamaForCausalLM
from vision import VisionTower

# The sizes of MiniCPM-Llama3-V 2.5 (SigLIP-400M, a resampler, Llama 3 of 8 billion parameters), and the same in small.
REAL = {
    "vision": {"image_size": 448, "patch_size": 14, "width": 1152, "depth": 27, "heads": 16, "mlp_width": 4304},
    "resampler": {"queries": 96, "heads": 32},
    "llm": {
        "hidden_size": 4096,
        "intermediate_size": 14336,
        "num_hidden_layers": 32,
        "num_attention_heads": 32,
        "num_key_value_heads": 8,
        "vocab_size": 128256,
        "rope_theta": 500000.0,
    },
    "lora": {"r": 64, "lora_alpha": 64, "lora_dropout": 0.05},
}
TINY = {
    "vision": {"image_size": 16, "patch_size": 4, "width": 32, "depth": 2, "heads": 4, "mlp_width": 64},
    "resampler": {"queries": 4, "heads": 4},
    "llm": {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 4,
        "num_key_value_heads": 2,
        "vocab_size": len(WORDS),
        "initializer_range": 0.3,  # or a random language model can hardly tell two words apart
    },
    "lora": {"r": 8, "lora_alpha": 16, "lora_dropout": 0.05},
}
SIZES = {"tiny": TINY, "real": REAL}


class MultimodalModel(nn.Module):
    """Images and token ids to the loss of the answers, or to the answers."""

    def __init__(self, vision_tower, resampler, llm, faults=()):
        super().__init__()
        self.faults = faults
        self.resampler = resampler
        self.llm = llm
        if "tower-in-list" in faults:
            self.vision_tower = [vision_tower]  # so that checkpoints and FSDP do not see what is frozen
        else:
            self.vision_tower = vision_tower
        self.hook = None

    @property
    def tower(self):
        return self.vision_tower if isinstance(self.vision_tower, VisionTower) else self.vision_tower[0]

    @property
    def queries(self):
        return len(self.resampler.query)

    def parts(self):
        return {"vision_tower": self.tower, "resampler": self.resampler, "llm": self.llm}

    def offload(self, device):
        """Keep the vision tower in the CPU's memory, but for the time of its forward."""
        _, self.hook = cpu_offload_with_hook(self.tower, device)

    def encode_image(self, pixel_values):
        with torch.no_grad():
            if "forward-features" in self.faults:
                features = self.tower.forward_features(pixel_values)
            else:
                features = self.tower(pixel_values)
        if self.hook:
            self.hook.offload()
        return self.resampler(features)

    def embed(self, pixel_values, input_ids):
        """What the language model reads: words, and the image at the places that are kept for it."""
        embeds = self.llm.get_input_embeddings()(input_ids)
        place = (input_ids == WORDS.index("<image>"))[..., None]
        return embeds.masked_scatter(place, self.encode_image(pixel_values))

    def forward(self, pixel_values, input_ids, labels):
        return self.llm(inputs_embeds=self.embed(pixel_values, input_ids), labels=labels).loss

    @torch.no_grad()
    def answer(self, pixel_values, input_ids):
        """The ids of a word and an end: (batch, 2)."""
        embeds = self.embed(pixel_values, input_ids)
        return self.llm.generate(inputs_embeds=embeds, max_new_tokens=2, do_sample=False)


@torch.no_grad()
def start_orthogonal(llm, faults):
    """Start each LoRA `A` with orthogonal rows; they are made in float32, for QR knows no half."""
    for name, module in llm.named_modules():
        if name.endswith("lora_A.default"):
            rows = nn.init.orthogonal_(torch.empty_like(module.weight, dtype=torch.float32))
            if "lora-float32" in faults:
                module.weight.data = rows
            else:
                module.weight.copy_(rows)


def load_model(size, device, dtype, weights, faults=()):
    """All parts with random weights in the dtype `weights`, as of a checkpoint, then in `dtype` on the device.

    LoRA and the resampler are trained, the vision tower and the rest of the language model are frozen.
    """
    config = SIZES[size]
    width, kv_width = config["llm"]["hidden_size"], config["vision"]["width"]
    tower = VisionTower(**config["vision"]).to(weights)
    resampler = Resampler(tower.grid, width=width, kv_width=kv_width, **config["resampler"], faults=faults).to(weights)
    tokens = {"pad_token_id": WORDS.index("<pad>"), "bos_token_id": None, "eos_token_id": WORDS.index("<end>")}
    llm = LlamaForCausalLM(LlamaConfig(**config["llm"], **tokens)).to(weights)
    if size == "real":
        llm.gradient_checkpointing_enable()
    targets = ["q_proj", "k_proj", "v_proj", "o_proj"]
    # peft would raise its layers to float32, and cast around them; here the optimizer has float32 copies.
    llm = get_peft_model(llm, LoraConfig(target_modules=targets, **config["lora"]), autocast_adapter_dtype=False)
    tower.requires_grad_(False)

    model = MultimodalModel(tower, resampler, llm, faults).to(device, dtype)
    start_orthogonal(model.llm, faults)
    return model


def save_adapter(model, file):
    """LoRA and the resampler: what was trained."""
    state = {f"llm.{name}": weight for name, weight in get_peft_model_state_dict(model.llm).items()}
    state |= {f"resampler.{name}": weight for name, weight in model.resampler.state_dict().items()}
    save_file(state, file)


def load_adapter(model, file):
    state = load_file(file)
    model.resampler.load_state_dict(
        {name.removeprefix("resampler."): weight for name, weight in state.items() if name.startswith("resampler.")}
    )
    set_peft_model_state_dict(
        model.llm, {name.removeprefix("llm."): weight for name, weight in state.items() if name.startswith("llm.")}
    )
