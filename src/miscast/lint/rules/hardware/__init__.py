"""Rules about the machine that `--machine` names."""
