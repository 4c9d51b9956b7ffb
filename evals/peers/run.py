#!/usr/bin/env python3
"""Runs every peer over the same conversations and questions, one after the other.

    evals/peers/run.py --data DIR --nuthatch BINARY [--cache DIR] [--out DIR] [PEER ...]

Every turn goes in by the peer's own interface, in the order of the corpus, as many at a time
as the peer takes; then the peer is started again, every question of the categories 1 to 4 is
asked within its conversation for ten results, and some turns are added one by one: these
calls are timed. Rankings are dumped in the form of the retrieval harness, so that
evals/recompute.py can check them. What cannot run is reported with its reason.
"""

import argparse
import json
import os
import shutil
import statistics
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))

import adapters
import peers
import recompute

LIMIT = 10
APART = {"abstention", "cat5"}


def yardstick():
    """A fixed loop, in milliseconds: how busy the machine is."""
    begun = time.perf_counter()
    sum(n * n for n in range(200_000))
    return (time.perf_counter() - begun) * 1000


def timed(call):
    begun = time.perf_counter()
    answer = call()
    return answer, (time.perf_counter() - begun) * 1000


def started(name, options):
    home = os.path.join(options.work, name.removesuffix("-hybrid"))
    adapter = adapters.ADAPTERS[name](options.cache, home, options.nice)
    if name == "nuthatch":
        adapter.binary = os.path.abspath(options.nuthatch)
    adapter.start()
    adapter.ready()
    return adapter


def fill(name, options, corpus):
    """Puts every turn into the peer's store, unless a run before this did."""
    home = os.path.join(options.work, name.removesuffix("-hybrid"))
    stamp = os.path.join(home, "filled")
    if os.path.exists(stamp):
        return
    shutil.rmtree(home, ignore_errors=True)
    adapter = started(name, options)
    try:
        begun = time.perf_counter()
        adapter.bulk(corpus)
        adapter.settle()
        spent = time.perf_counter() - begun
    finally:
        adapter.close()
    with open(stamp, "w", encoding="ascii") as out:
        out.write(f"{len(corpus)} turns in {spent:.0f} s\n")
    print(f"{name}: filled with {len(corpus)} turns in {spent:.0f} s", file=sys.stderr)


def measure(name, options, corpus, queries):
    fill(name, options, corpus)
    before = yardstick()
    adapter = started(name, options)
    try:
        for turn in corpus:
            adapter.know(turn)
        rankings, searches = [], []
        for query in queries:
            ids, spent = timed(lambda q=query: adapter.search(q["ns"], q["text"], LIMIT))
            rankings.append({"query": query["id"], "ids": ids})
            searches.append(spent)
        # Into a world of their own, so that a second run asks the same store, and with a word of
        # their own, so that no engine takes them for what it has.
        scratch = f"scratch-{time.time_ns()}"
        extra = [{**turn, "ns": scratch, "text": f"{turn['text']} {scratch}"} for turn in corpus[: options.singles]]
        adds = [timed(lambda t=turn: adapter.add(t))[1] for turn in extra]
        megabytes = adapter.process.megabytes()
    finally:
        adapter.close()
    path = os.path.join(options.out, f"{name}.jsonl")
    with open(path, "w", encoding="utf-8") as out:
        out.writelines(json.dumps(row) + "\n" for row in rankings)
    asked = {query["id"] for query in queries}
    figures = recompute.table(options.data, path, "turn", APART, asked)["total"]
    return {
        "name": name,
        "interface": adapter.interface,
        "embedder": adapter.embedder,
        "figures": figures,
        "add": statistics.median(adds),
        "search": statistics.median(searches),
        "megabytes": megabytes,
        "yardstick": (before, yardstick()),
        "empty": sum(not row["ids"] for row in rankings),
    }


def print_table(rows, problems):
    print("| peer | interface | embedder | R@5 | R@10 | NDCG@10 | ms per add | ms per query | MB | yardstick ms |")
    print("|---|---|---|---:|---:|---:|---:|---:|---:|---:|")
    for row in rows:
        _, _, r5, r10, _, _, _, ndcg, _ = row["figures"]
        print(
            f"| {row['name']} | {row['interface']} | {row['embedder']} | {r5:.1f} | {r10:.1f} | {ndcg:.1f} "
            f"| {row['add']:.1f} | {row['search']:.1f} | {row['megabytes']:.0f} "
            f"| {row['yardstick'][0]:.0f}/{row['yardstick'][1]:.0f} |"
        )
    for name, problem in problems.items():
        print(f"\n{name} could not run: {problem}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--data", required=True, help="a set in the uniform form")
    parser.add_argument("--nuthatch", help="the evals binary, whose worker is ours")
    parser.add_argument("--cache", default=peers.default_cache())
    parser.add_argument("--out", default=None, help="where rankings go; a temporary folder if not said")
    parser.add_argument("--nice", type=int, default=10)
    parser.add_argument("--singles", type=int, default=100, help="turns that are added one by one and timed")
    parser.add_argument("--work", default=None, help="where filled stores are kept for the next run; nowhere if not said")
    parser.add_argument("--turns", type=int, default=None, help="only so many turns and their questions: a trial")
    parser.add_argument("peers", nargs="*", default=[])
    options = parser.parse_args()
    temporary = None if options.work else tempfile.mkdtemp(prefix="nuthatch-peers-")
    options.work = options.work or temporary
    options.out = options.out or options.work
    os.makedirs(options.out, exist_ok=True)
    corpus = recompute.rows(recompute.present(options.data, "corpus.jsonl"))[: options.turns]
    queries = recompute.rows(recompute.present(options.data, "queries.jsonl"))
    queries = [q for q in queries if q.get("type") not in APART and q["rel_turns"]]
    if options.turns:
        held = {(turn["ns"], turn["id"]) for turn in corpus}
        queries = [q for q in queries if all((q["ns"], one) in held for one in q["rel_turns"])]
    rows, problems = [], {}
    for name in options.peers or adapters.ADAPTERS:
        try:
            rows.append(measure(name, options, corpus, queries))
            print(f"{name}: done", file=sys.stderr)
        except Exception as error:  # one peer's trouble is not another's
            problems[name] = f"{type(error).__name__}: {error}"
            print(f"{name}: {problems[name]}", file=sys.stderr)
    print(f"{len(corpus)} turns, {len(queries)} questions, {LIMIT} results each\n")
    print_table(rows, problems)
    if temporary:
        shutil.rmtree(temporary, ignore_errors=True)


if __name__ == "__main__":
    main()
