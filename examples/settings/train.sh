#!/bin/sh
accelerate launch --config_file accelerate.yaml train.py --learning_rate 1e-5
