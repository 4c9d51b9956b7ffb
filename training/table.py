"""The lower end of the curve: a static table made of the same teacher, a row for each piece of the pruned vocabulary.

    python table.py --teacher teacher.safetensors --tokenizer tokenizer.json --pruned DIR --sets RETRIEVAL_SETS --out table.safetensors

A row is what the teacher says of the piece alone, less the mean of all rows, turned onto the main axes, and the
heavier the rarer the piece is (the vocabulary is ordered by frequency).  A text is the mean of its rows.  No training.
"""
import argparse
import json

import numpy as np
import torch
from safetensors.numpy import save_file
from safetensors.torch import load_file

import bert
import measure
from data import PREFIX, load_tokenizer, pack
from texts import PASSAGE


@torch.inference_mode()
def rows(teacher, kept, tokenizer, batch=2048):
    """What the teacher says of each piece alone; `kept` are the piece's numbers in the teacher's vocabulary."""
    begin, *prefix, end = tokenizer.encode(PREFIX[PASSAGE]).ids
    texts = [np.array([begin, *prefix, piece, end], np.uint16) for piece in kept]
    parts = [teacher(pack(texts[i:i + batch], None, None, "cpu")).numpy() for i in range(0, len(texts), batch)]
    return np.concatenate(parts)


def table(vectors, width):
    vectors = vectors - vectors.mean(0)
    _, _, axes = np.linalg.svd(vectors, full_matrices=False)
    rank = np.arange(1, len(vectors) + 1)
    return (vectors @ axes[:width].T * np.log(1 + rank)[:, None]).astype(np.float32)


def rounded(weight):
    """int8 with a scale for each row."""
    scale = np.maximum(np.abs(weight).max(1), 1e-12) / 127
    return np.rint(weight / scale[:, None]).astype(np.int8), scale.astype(np.float32)


def encoder(weight, tokenizer):
    """A function (texts, purpose) -> unit vectors; one table serves queries and passages."""
    def encode(texts, _purpose):
        out = np.zeros((len(texts), weight.shape[1]), np.float32)
        for i, e in enumerate(tokenizer.encode_batch_fast(list(texts), add_special_tokens=False)):
            mean = weight[e.ids].mean(0) if e.ids else out[i]
            out[i] = mean / max(np.linalg.norm(mean), 1e-12)
        return out
    return encode


def main():
    parser = argparse.ArgumentParser()
    for name in ("teacher", "tokenizer", "pruned", "sets"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--width", type=int, default=256)
    parser.add_argument("--out")
    a = parser.parse_args()
    teacher = bert.read_teacher(load_file(a.teacher)).eval()
    kept = json.load(open(f"{a.pruned}/kept.json"))
    whole, scale = rounded(table(rows(teacher, kept, load_tokenizer(a.tokenizer)), a.width))
    if a.out:
        save_file({"embed.tokens": whole, "embed.tokens.scale": scale}, a.out)
    scores = measure.measure(a.sets, encoder(whole * scale[:, None], load_tokenizer(f"{a.pruned}/tokenizer.json")))
    print(measure.line(scores))
    print(json.dumps(scores))


if __name__ == "__main__":
    main()
