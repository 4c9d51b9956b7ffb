"""Make the teacher's file small enough to carry: layers in half precision, the token table int8 per row.

    python pack_teacher.py e5-small.safetensors teacher.safetensors
"""
import sys

import torch
from safetensors.torch import load_file, save_file

tensors = {}
for name, value in load_file(sys.argv[1]).items():
    if name.endswith("word_embeddings.weight"):
        scale = value.abs().amax(1).clamp(min=1e-12) / 127
        tensors[name] = torch.round(value / scale[:, None]).to(torch.int8)
        tensors[name.replace(".weight", ".scale")] = scale
    else:
        tensors[name] = value.half()
save_file(tensors, sys.argv[2])
