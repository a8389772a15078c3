"""Block what a checked program sends, and let it run on. Model hubs are read, and their files kept in their cache.

    network = Network(tell=recorder.effect)
    with closed(network):
        requests.post("https://api.example.com/loss", json={"loss": 0.5})   # <Response [200]>, nothing was sent
        hf_hub_download("gpt2", "config.json")                             # read, as ever

A library that talks to the network is one file in `clients/`, found by discovery; a tracker is an entry in
`trackers.py`. None of them is imported: what the program has imported is patched at the start, what it imports later
when it does.
"""

from __future__ import annotations

from .network import Fetch, Mode, Network
from .shield import closed

__all__ = ["Fetch", "Mode", "Network", "closed"]
