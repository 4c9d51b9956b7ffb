"""Reference inference in plain numpy from a shipped file, rounding included: what a port has to reproduce.

    python infer.py MODEL.safetensors VOCAB.txt golden.json     writes ids and vectors of the golden texts

Weights and activations are int8, products are summed as integers; norms, softmax and GELU are float.
"""
import json
import math
import sys
import unicodedata

import numpy as np

GOLDEN = [("query", "where did Anna go on holiday?"), ("passage", "Anna: We spent two weeks in Lisbon last May."),
          ("query", "how to read a json file in python"), ("passage", "def load(path):\n    with open(path) as f:\n        return json.load(f)"),
          ("passage", "Crème brûlée, naïve café — «цитата» 東京 여행 😀 100 %"), ("query", ""), ("passage", "word " * 400),
          ("passage", "The deployment uses PostgreSQL 16; snake_case_names and CamelCase stay as they are."),
          ("query", "When is my dentist appointment?"), ("query", "which port does the staging database listen on"),
          ("passage", "Ben: The build broke again\tbecause somebody pinned the old compiler.\r\nAnna: I know\u2026"), ("passage", "pneumonoultramicroscopicsilicovolcanoconiosis " + "x" * 150)]


def read(path):
    raw = open(path, "rb").read()
    n = int.from_bytes(raw[:8], "little")
    head = json.loads(raw[8:8 + n])
    kinds = {"I8": np.int8, "F32": np.float32, "F16": np.float16}
    tensors = {}
    for name, v in head.items():
        if name != "__metadata__":
            a, b = v["data_offsets"]
            tensors[name] = np.frombuffer(raw[8 + n + a:8 + n + b], kinds[v["dtype"]]).reshape(v["shape"])
    return json.loads(head["__metadata__"]["config"]), tensors


class WordPiece:
    """BERT uncased: clean, lower-case, strip accents, split blanks, punctuation and CJK, then the longest match first."""

    def __init__(self, path):
        self.number = {p: i for i, p in enumerate(open(path, encoding="utf-8").read().split("\n")) if p}

    def words(self, text):
        out, word = [], ""
        for c in text:
            if ord(c) in (0, 0xFFFD) or (c not in "\t\n\r" and unicodedata.category(c) in ("Cc", "Cf", "Cn", "Co")):
                continue
            for d in unicodedata.normalize("NFD", c):
                if unicodedata.category(d) == "Mn":
                    continue
                for e in d.lower():
                    kind, o = unicodedata.category(e), ord(e)
                    if e.isspace():
                        out.append(word)
                        word = ""
                    elif kind.startswith("P") or o < 128 and not e.isalnum() and o > 32 or 0x4E00 <= o <= 0x9FFF or 0x3400 <= o <= 0x4DBF \
                            or 0xF900 <= o <= 0xFAFF or 0x20000 <= o <= 0x2CEAF or 0x2F800 <= o <= 0x2FA1F:
                        out += [word, e]
                        word = ""
                    else:
                        word += e
        return [w for w in out + [word] if w]

    def __call__(self, text, limit):
        ids = []
        for word in self.words(text):
            pieces, i = [], 0
            while i < len(word) and len(word) <= 100:
                mark = "##" if i else ""
                j = next((j for j in range(len(word), i, -1) if mark + word[i:j] in self.number), None)
                if j is None:
                    break
                pieces.append(self.number[mark + word[i:j]])
                i = j
            ids += pieces if pieces and i == len(word) else [self.number["[UNK]"]]
        return [self.number["[CLS]"], *ids[:limit - 2], self.number["[SEP]"]]


def norm(x, w, b, eps):
    mean = x.mean(-1, keepdims=True)
    return (x - mean) / np.sqrt(((x - mean) ** 2).mean(-1, keepdims=True) + eps) * w + b


def linear(t, name, x):
    scale = np.maximum(np.abs(x).max(-1, keepdims=True), 1e-12) / 127
    whole = np.rint(x / scale).astype(np.int64) @ t[name + ".weight"].astype(np.int64).T
    return whole * scale * t[name + ".scale"] + t[name + ".bias"]


def embed(config, t, ids):
    n, hidden, heads = len(ids), config["hidden"], config["heads"]
    x = t["embed.tokens"][ids] * t["embed.tokens.scale"][ids][:, None] + t["embed.positions"][:n].astype(np.float32)
    x = norm(x, t["embed.norm.weight"], t["embed.norm.bias"], config["norm_eps"])
    erf = np.vectorize(math.erf)
    for i in range(config["layers"]):
        p = f"layer.{i}."
        q, k, v = (linear(t, p + part, x).reshape(n, heads, -1).transpose(1, 0, 2) for part in ("query", "key", "value"))
        weights = q @ k.transpose(0, 2, 1) / math.sqrt(hidden // heads)
        weights = np.exp(weights - weights.max(-1, keepdims=True))
        mixed = (weights / weights.sum(-1, keepdims=True) @ v).transpose(1, 0, 2).reshape(n, hidden)
        x = norm(x + linear(t, p + "attention", mixed), t[p + "attention_norm.weight"], t[p + "attention_norm.bias"], config["norm_eps"])
        up = linear(t, p + "up", x)
        x = norm(x + linear(t, p + "down", up * 0.5 * (1 + erf(up / math.sqrt(2)))), t[p + "output_norm.weight"], t[p + "output_norm.bias"], config["norm_eps"])
    v = x.mean(0)
    return v / np.linalg.norm(v)


def main():
    config, tensors = read(sys.argv[1])
    pieces, rows = WordPiece(sys.argv[2]), []
    for purpose, text in GOLDEN:
        whole = config[purpose + "_prefix"] + text
        ids = pieces(whole, config["max_positions"])
        rows.append({"text": whole, "ids": ids, "vector": [round(float(x), 6) for x in embed(config, tensors, ids)]})
    json.dump(rows, open(sys.argv[3], "w"), ensure_ascii=True)


if __name__ == "__main__":
    main()
