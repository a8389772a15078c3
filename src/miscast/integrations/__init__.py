"""Where people work: one file per tool of theirs, each of which hands a few lines of its own on to the stages.

    pytest --miscast=a100                                     pytest_plugin.py
    Trainer(…, callbacks=[MiscastCallback(policy="bf16-true")])  transformers.py

Nothing here is imported before it is asked for: each file imports the tool that it is named after.
"""
