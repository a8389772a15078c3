"""New words whose vectors are trained where the text encoders *end*: neither encoder needs a gradient."""

import torch
from safetensors.torch import load_file, save_file
from torch import nn

NAMES = ("clip_l", "clip_g")


class OutputEmbedding(nn.Module):
    """For each text encoder a vector for each new word, float32: (words, width of the encoder)."""

    def __init__(self, words, token_ids, vectors):
        super().__init__()
        self.words = words
        self.token_ids = token_ids
        self.vectors = nn.ParameterList(nn.Parameter(v.float()) for v in vectors)

    def put_into(self, hidden_state, tokens, encoder):
        """The encoder's hidden state (batch, 77, width), with the vectors at the places of the new words."""
        for token_id, vector in zip(self.token_ids, self.vectors[encoder]):
            hidden_state = torch.where((tokens == token_id)[..., None], vector.to(hidden_state.dtype), hidden_state)
        return hidden_state

    def save(self, file):
        save_file({name: vectors.detach() for name, vectors in zip(NAMES, self.vectors)}, file)

    @torch.no_grad()
    def load(self, file):
        state = load_file(file)
        for name, vectors in zip(NAMES, self.vectors):
            vectors.copy_(state[name])


def tokenize(models, captions):
    tokens = models.tokenizer(captions, padding="max_length", truncation=True, return_tensors="pt")
    return tokens.input_ids.to(models.device)


@torch.no_grad()
def run_encoders(models, tokens):
    """The last hidden state but one of both text encoders, and the pooled one of the second."""
    outputs = [encoder(tokens, output_hidden_states=True) for encoder in models.text_encoders]
    return [output.hidden_states[-2] for output in outputs], outputs[1].text_embeds


def encode_text(models, embedding, captions):
    """What the UNet is conditioned on: (batch, 77, both widths), and the pooled (batch, width)."""
    tokens = tokenize(models, captions)
    hidden_states, pooled = run_encoders(models, tokens)
    hidden_states = [embedding.put_into(hidden, tokens, n) for n, hidden in enumerate(hidden_states)]
    return torch.cat(hidden_states, dim=-1), pooled


def add_words(models, words, meaning, faults=()):
    """New words that begin as what the encoders make of another word."""
    models.tokenizer.add_tokens(words)
    for encoder in models.text_encoders:
        encoder.resize_token_embeddings(len(models.tokenizer), mean_resizing=False)
        if "token-embedding" in faults:
            encoder.get_input_embeddings().to(dtype=torch.float32)
    hidden_states, _ = run_encoders(models, tokenize(models, [meaning]))
    vectors = [hidden[0, 1].repeat(len(words), 1) for hidden in hidden_states]
    return OutputEmbedding(words, models.tokenizer.convert_tokens_to_ids(words), vectors)
