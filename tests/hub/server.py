"""A model hub with a model of 140 GB: it gives files by ranges, and never the whole of one with weights.

    python server.py LOG    ->    prints its port, and writes down each request and how many bytes it gave
"""

from __future__ import annotations

import json
import struct
import sys
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

COMMIT = "2" * 40
LAYERS, HIDDEN, MIDDLE, HEADS, KEYS, WORDS = 80, 8192, 28672, 64, 8, 128256
CONFIG = {
    "architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": HIDDEN, "intermediate_size": MIDDLE,
    "num_hidden_layers": LAYERS, "num_attention_heads": HEADS, "num_key_value_heads": KEYS, "vocab_size": WORDS,
    "dtype": "bfloat16", "torch_dtype": "bfloat16", "tie_word_embeddings": False,
}  # fmt: skip


def shapes(layer):
    """The weights of a layer."""
    keys = HIDDEN // HEADS * KEYS
    linear = {
        "self_attn.q_proj": (HIDDEN, HIDDEN), "self_attn.k_proj": (keys, HIDDEN), "self_attn.v_proj": (keys, HIDDEN),
        "self_attn.o_proj": (HIDDEN, HIDDEN), "mlp.gate_proj": (MIDDLE, HIDDEN), "mlp.up_proj": (MIDDLE, HIDDEN),
        "mlp.down_proj": (HIDDEN, MIDDLE), "input_layernorm": (HIDDEN,), "post_attention_layernorm": (HIDDEN,),
    }  # fmt: skip
    return {f"model.layers.{layer}.{name}.weight": shape for name, shape in linear.items()}


def header(tensors):
    """What a file with these tensors begins with, and how many bytes follow."""
    end, told = 0, {"__metadata__": {"format": "pt"}}
    for name, shape in tensors.items():
        count = 2
        for n in shape:
            count *= n
        told[name] = {"dtype": "BF16", "shape": shape, "data_offsets": [end, end + count]}
        end += count
    text = json.dumps(told).encode()
    return struct.pack("<Q", len(text)) + text, end


PARTS = [
    {"model.embed_tokens.weight": (WORDS, HIDDEN), "model.norm.weight": (HIDDEN,), "lm_head.weight": (WORDS, HIDDEN)},
    *(shapes(layer) for layer in range(LAYERS)),
]
NAMES = [f"model-{i + 1:05d}-of-{len(PARTS):05d}.safetensors" for i in range(len(PARTS))]
WEIGHTS = {name: header(part) for name, part in zip(NAMES, PARTS, strict=True)}
INDEX = {"metadata": {"total_size": 0}, "weight_map": {t: n for n, p in zip(NAMES, PARTS, strict=True) for t in p}}
FILES = {
    "config.json": json.dumps(CONFIG).encode(),
    "generation_config.json": b"{}",
    "model.safetensors.index.json": json.dumps(INDEX).encode(),
}
OLD = {"config.json": FILES["config.json"], "generation_config.json": b"{}"}
"""Of a second model, whose weights are in one file of torch's."""
LOG = open(sys.argv[1], "a", buffering=1)  # noqa: SIM115


class Hub(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def answer(self, status, body=b"", length=None, **headers):
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(body) if length is None else length))
        self.end_headers()
        given = body if self.command == "GET" else b""
        LOG.write(json.dumps([self.command, self.path, len(given)]) + "\n")
        self.wfile.write(given)

    def do_GET(self):
        repo, _, name = self.path.partition("?")[0].partition("/resolve/")
        name = name.partition("/")[2]
        if self.path.startswith("/api/models/ann/large"):
            files = [{"rfilename": name} for name in (*FILES, *WEIGHTS)]
            files.append({"rfilename": "pytorch_model.bin", "size": 140 * 10**9})
            tree = [{"type": "file", "path": n["rfilename"], "size": 9, "oid": "0" * 40} for n in files]
            info = {"id": "ann/large", "sha": COMMIT, "siblings": files, "tags": [], "private": False, "downloads": 3}
            body = json.dumps(tree if "/tree/" in self.path else info).encode()
            self.answer(200, body, Content_Type="application/json")
        elif repo == "/ann/old" and name in OLD:
            self.answer(200, OLD[name], X_Repo_Commit=COMMIT, ETag=f'"{len(OLD[name]):040d}"')
        elif repo == "/ann/old" and name == "pytorch_model.bin":
            whole = {"length": 140 * 10**9} if self.command == "HEAD" else {}
            self.answer(200 if whole else 500, b"", **whole, X_Repo_Commit=COMMIT, ETag='"b"')
        elif repo == "/ann/old":
            self.answer(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)
        elif repo != "/ann/large":
            self.answer(404, X_Error_Code="RepoNotFound")
        elif name in FILES:
            self.answer(200, FILES[name], X_Repo_Commit=COMMIT, ETag=f'"{len(FILES[name]):040d}"')
        elif name in WEIGHTS:
            self.weights(*WEIGHTS[name])
        else:
            self.answer(404, X_Error_Code="EntryNotFound", X_Repo_Commit=COMMIT)

    def weights(self, head, more):
        wanted = self.headers.get("Range", "")
        same = {"X_Repo_Commit": COMMIT, "ETag": '"w"', "Accept_Ranges": "bytes"}
        if self.command == "HEAD":
            self.answer(200, b"", len(head) + more, **same)
        elif not wanted:
            self.answer(500, b"nobody reads 140 GB here")
        else:
            start, end = (int(n) for n in wanted.removeprefix("bytes=").split("-"))
            body = (head + bytes(1 << 17))[start : end + 1]
            self.answer(206, body, Content_Range=f"bytes {start}-{end}/{len(head) + more}", **same)

    do_HEAD = do_GET  # noqa: N815 - as http.server calls it

    def log_message(self, *_):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Hub)
print(server.server_port, flush=True)
server.serve_forever()
