"""Integrations with users' tools: one file per tool. Each passes a few arguments on to the stages.

    pytest --miscast=a100                                     pytest_plugin.py
    Trainer(…, callbacks=[MiscastCallback(policy="bf16-true")])  transformers.py

Nothing here is imported before it is asked for: each file imports the tool that it is named after.
"""
