#!/usr/bin/env python3
"""Recomputes every retrieval metric from a dump of rankings, sharing no code with the harness.

    evals/recompute.py --data DIR --rankings OUT.jsonl [--level turn|session] [--compare TABLE]

A ranking is {"query": id, "ids": [best first]}; a query without one counts as an empty list.
With --compare, the table that the harness printed is read from a file (or - for standard
input) and every cell must agree to 0.1; the exit status says whether it does.
"""

import argparse
import gzip
import json
import math
import os
import sys

NAMES = ["n", "R@1", "R@5", "R@10", "Hit@5", "Hit@10", "All@5", "NDCG@10", "MRR"]
TOLERANCE = 0.1


def rows(path):
    opener = gzip.open if path.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines if line.strip()]


def present(folder, name):
    for path in (os.path.join(folder, name), os.path.join(folder, name + ".gz")):
        if os.path.exists(path):
            return path
    sys.exit(f"{folder} has no {name}")


def measure(ids, relevant):
    distinct = list(dict.fromkeys(ids))[:100]
    hits = [1 if one in relevant else 0 for one in distinct]
    at = lambda k: sum(hits[:k])
    gain = sum(hit / math.log2(rank + 2) for rank, hit in enumerate(hits[:10]))
    best = sum(1 / math.log2(rank + 2) for rank in range(min(len(relevant), 10)))
    first = next((rank for rank, hit in enumerate(hits) if hit), None)
    return [
        at(1) / len(relevant),
        at(5) / len(relevant),
        at(10) / len(relevant),
        1.0 if at(5) else 0.0,
        1.0 if at(10) else 0.0,
        1.0 if at(5) == len(relevant) else 0.0,
        gain / best,
        0.0 if first is None else 1 / (first + 1),
    ]


def table(data, rankings, level, apart, only=None):
    """{type: [n, figures in percent]}, with `total` over the types that are not apart."""
    lists = {row["query"]: row["ids"] for row in rows(rankings)}
    cells = {}
    for query in rows(present(data, "queries.jsonl")):
        relevant = set(query["rel_turns" if level == "turn" else "rel_sessions"])
        if not relevant or (only is not None and query["id"] not in only):
            continue
        figures = measure(lists.get(query["id"], []), relevant)
        kind = query.get("type", "")
        cells.setdefault(kind, []).append(figures)
        if kind not in apart:
            cells.setdefault("total", []).append(figures)
    percent = lambda many: [100 * sum(column) / len(many) for column in zip(*many)]
    return {kind: [len(many)] + percent(many) for kind, many in sorted(cells.items())}


def printed(path):
    """The cells of the first table whose heads are ours: {type: [numbers]}."""
    lines = sys.stdin if path == "-" else open(path, encoding="utf-8")
    found, inside = {}, False
    for line in lines:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if cells[1:] == NAMES:
            inside = True
        elif inside and len(cells) == len(NAMES) + 1 and not cells[0].startswith("-"):
            found[cells[0]] = [float(cell) for cell in cells[1:]]
        elif inside and not line.strip():
            break
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", required=True)
    parser.add_argument("--rankings", required=True)
    parser.add_argument("--level", choices=["turn", "session"], default="turn")
    parser.add_argument("--apart", default="abstention,cat5", help="types left out of the total")
    parser.add_argument("--compare", help="the printed table to agree with, or -")
    options = parser.parse_args()
    mine = table(options.data, options.rankings, options.level, options.apart.split(","))
    print("| queries | " + " | ".join(NAMES) + " |")
    for kind, cells in mine.items():
        print(f"| {kind} | {cells[0]} | " + " | ".join(f"{cell:.2f}" for cell in cells[1:]) + " |")
    if options.compare:
        theirs = printed(options.compare)
        if set(theirs) != set(mine):
            sys.exit(f"the rows differ: {sorted(theirs)} and {sorted(mine)}")
        worst = max(abs(a - b) for kind in mine for a, b in zip(mine[kind], theirs[kind]))
        print(f"greatest difference {worst:.3f}")
        if worst > TOLERANCE:
            sys.exit("the printed table and the rankings disagree")


if __name__ == "__main__":
    main()
