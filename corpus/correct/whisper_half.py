# machine: v100
"""Transcribe with a Whisper in half precision; the features are computed in NumPy."""

import numpy as np
import torch
from transformers import WhisperConfig, WhisperForConditionalGeneration

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
DTYPE = torch.float16
MELS = 8


def tiny_whisper():
    return WhisperForConditionalGeneration(
        WhisperConfig(
            vocab_size=50, num_mel_bins=MELS, d_model=16, encoder_layers=1, decoder_layers=1, encoder_attention_heads=2,
            decoder_attention_heads=2, encoder_ffn_dim=32, decoder_ffn_dim=32, max_source_positions=10,
            max_target_positions=16, decoder_start_token_id=1, bos_token_id=0, eos_token_id=49, pad_token_id=2,
        )
    )


def log_mel(wave, frames=20):
    windows = np.lib.stride_tricks.sliding_window_view(wave, 32)[:: (len(wave) - 32) // frames][:frames]
    power = np.abs(np.fft.rfft(windows * np.hanning(32), axis=-1)) ** 2
    filters = np.random.default_rng(0).random((power.shape[1], MELS))
    features = np.log10(np.maximum(power @ filters, 1e-10)).T
    return ((features + 4.0) / 4.0).astype(np.float32)


def prepare(waves):
    features = torch.from_numpy(np.stack([log_mel(wave) for wave in waves]))
    return features.to(DEVICE).to(DTYPE)


@torch.inference_mode()
def transcribe(model, features, count):
    encoded = model.model.encoder(features).last_hidden_state
    ids = torch.full((len(features), 1), 1, dtype=torch.long, device=DEVICE)
    total = torch.zeros(len(features), device=DEVICE)
    for _ in range(count):
        hidden = model.model.decoder(input_ids=ids, encoder_hidden_states=encoded).last_hidden_state
        logp = model.proj_out(hidden[:, -1]).float().log_softmax(dim=-1)
        best = logp.max(dim=-1)
        total += best.values
        ids = torch.cat([ids, best.indices.unsqueeze(1)], dim=1)
    return ids, total


def main():
    torch.manual_seed(0)
    model = tiny_whisper().to(DEVICE, DTYPE).eval()
    time = np.arange(800) / 100
    waves = [np.sin(3 * time), np.sin(5 * time) * 0.5]
    ids, score = transcribe(model, prepare(waves), 3)
    print("ids", ids.shape, f"score {score.mean().item():.3f}")


if __name__ == "__main__":
    main()
