"""Dense retrieval scores on the development sets: NDCG@10, R@5, R@10, MRR in percent.

A set is a folder with corpus.jsonl.gz and queries.jsonl.gz.  At session level a session has the score of its best
turn.  Texts are cut at the model's limit.  Ties keep the order of the corpus.
"""
import gzip
import json
from pathlib import Path

import numpy as np

SETS = (("locomo_a", "turn"), ("lme_dev", "turn"), ("lme_dev", "session"), ("realmem_3", "session"), ("cosqa_dev", "turn"))
LEFT_OUT = {"cat5", "abstention"}


def read(path):
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


class Set:
    def __init__(self, folder, name, level):
        self.name, self.level = name, level
        corpus = read(Path(folder) / name / "corpus.jsonl.gz")
        self.texts = [row["text"] for row in corpus]
        number, self.units = {}, []
        for i, row in enumerate(corpus):
            key = (row["ns"], row["session"]) if level == "session" else i
            if key not in number:
                number[key] = len(self.units)
                self.units.append(dict(ns=row["ns"], id=row["session"] if level == "session" else row["id"], seq=row["seq"], rows=[]))
            self.units[number[key]]["rows"].append(i)
        scopes = {}
        for i, unit in enumerate(self.units):
            scopes.setdefault(unit["ns"], []).append(i)
        self.queries = []
        for q in read(Path(folder) / name / "queries.jsonl.gz"):
            relevant = set(q["rel_turns" if level == "turn" else "rel_sessions"])
            if not relevant or q["type"] in LEFT_OUT:
                continue
            allowed = set(q["haystack"]) if "haystack" in q else None
            candidates = [i for i in scopes[q["ns"]] if self.units[i]["seq"] < q.get("max_seq", 1 << 60) and
                          (allowed is None or self.units[i]["id"] in allowed)]
            self.queries.append(dict(text=q["text"], candidates=np.array(candidates), relevant=relevant))

    def score(self, passages, queries):
        starts = np.cumsum([0] + [len(u["rows"]) for u in self.units])[:-1]
        order = np.concatenate([u["rows"] for u in self.units])
        rows, out = passages[order], []
        for vector, q in zip(queries, self.queries):
            scores = np.maximum.reduceat(rows @ vector, starts)[q["candidates"]]
            top = q["candidates"][np.argsort(-scores, kind="stable")[:100]]
            hit = np.array([self.units[i]["id"] in q["relevant"] for i in top], float)
            n = len(q["relevant"])
            gain = 1 / np.log2(np.arange(2, 12))
            first = np.flatnonzero(hit)
            out.append(((hit[:10] * gain[:len(hit[:10])]).sum() / gain[:min(n, 10)].sum(), hit[:5].sum() / n, hit[:10].sum() / n,
                        1 / (1 + first[0]) if len(first) else 0))
        return dict(zip(("NDCG@10", "R@5", "R@10", "MRR"), (100 * np.mean(out, 0)).round(2).tolist()))


def measure(folder, encode, sets=SETS):
    """encode(texts, purpose) -> unit vectors; purpose 0 is query, 1 is passage."""
    out, cache = {}, {}
    for name, level in sets:
        s = Set(folder, name, level)
        if name not in cache:
            cache[name] = encode(s.texts, 1)
        out[f"{name}/{level}"] = s.score(cache[name], encode([q["text"] for q in s.queries], 0))
    return out


def line(scores):
    return "  ".join(f"{k.split('/')[0][:6]}/{k.split('/')[1][0]} {v['NDCG@10']:.1f} {v['R@5']:.1f} {v['R@10']:.1f}" for k, v in scores.items())
