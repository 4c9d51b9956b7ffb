"""Prune the WordPiece vocabulary: keep what general English and the training text use.

    python vocabulary.py --docs docs.jsonl.xz --tokenizer tokenizer.json --out DIR
    python vocabulary.py --pieces vocab.txt --tokenizer tokenizer.json --out DIR     (a vocabulary that is already chosen)

Kept: the special pieces; every single character, bare and as a continuation, in any script; every piece whose rank in
the teacher's vocabulary (which is ordered by frequency) is below --rank; every piece met --least times in the text,
of which every sixth document is counted.  A word whose piece is gone is spelled with shorter pieces, so nothing turns into [UNK] that did not before.
Writes vocab.txt, kept.json (old number of each piece) and tokenizer.json.
"""
import argparse
import json
import lzma
from collections import Counter

from tokenizers import Tokenizer

from texts import ROUNDS

SPECIAL = ("[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]")


def counts(docs, tokenizer, every):
    seen = Counter()
    with lzma.open(docs, "rt", encoding="utf-8") as file:
        lines, weights = [], []

        def flush():
            for weight, e in zip(weights, tokenizer.encode_batch_fast(lines, add_special_tokens=False)):
                for i in e.ids:
                    seen[i] += weight
            lines.clear()
            weights.clear()
        for n, line in enumerate(file):
            if n % every:
                continue
            doc = json.loads(line)
            lines.append(" ".join([doc["h"], *doc["s"]]))
            weights.append(ROUNDS.get(doc["k"], 1))
            if len(lines) == 20000:
                flush()
        flush()
    return seen


def spellable(tokenizer, pieces, kept):
    """Add back the pieces that shorter ones cannot spell."""
    have = {pieces[i] for i in kept}

    def spelled(piece):
        first, rest = not piece.startswith("##"), piece.removeprefix("##")
        while rest:
            mark = "" if first else "##"
            n = next((n for n in range(len(rest), 0, -1) if mark + rest[:n] in have), 0)
            if not n:
                return False
            first, rest = False, rest[n:]
        return True
    back = [i for i, p in enumerate(pieces) if p not in have and not p.startswith("[unused") and not spelled(p)]
    return sorted({*kept, *back})


def chosen(a, tokenizer, pieces):
    """Numbers of the pieces to keep, by what the documents use."""
    seen, kept = counts(a.docs, tokenizer, a.every), []
    for i, piece in enumerate(pieces):
        single = len(piece.removeprefix("##")) == 1
        unused = piece.startswith("[unused")
        if piece in SPECIAL or single or (not unused and (i < a.rank or seen[i] >= a.least)):
            kept.append(i)
    kept = spellable(tokenizer, pieces, kept)
    share = sum(seen[i] for i in kept) / max(1, sum(seen.values()))
    print(f"{len(kept)} of {len(pieces)} pieces; they cover {100 * share:.3f} % of {sum(seen.values())} tokens")
    return kept


def renumbered(spec, pieces, kept):
    """The tokenizer with the kept pieces alone."""
    number = {pieces[i]: n for n, i in enumerate(kept)}
    spec["model"]["vocab"] = number
    for token in spec.get("added_tokens", []):
        token["id"] = number[token["content"]]
    post = spec.get("post_processor") or {}
    for token in post.get("special_tokens", {}).values():
        token["ids"] = [number[x] for x in token["tokens"]]
    for side in ("sep", "cls"):
        if side in post:
            post[side][1] = number[post[side][0]]
    spec["truncation"] = spec["padding"] = None
    return spec


def main():
    parser = argparse.ArgumentParser()
    for name in ("tokenizer", "out"):
        parser.add_argument("--" + name, required=True)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--docs")
    source.add_argument("--pieces")
    for name, default in (("rank", 20000), ("least", 4), ("every", 6)):
        parser.add_argument("--" + name, type=int, default=default)
    a = parser.parse_args()
    tokenizer = Tokenizer.from_file(a.tokenizer)
    tokenizer.no_truncation()
    tokenizer.no_padding()
    pieces = [p for p, _ in sorted(tokenizer.get_vocab().items(), key=lambda kv: kv[1])]
    if a.pieces:
        kept = [tokenizer.token_to_id(p) for p in open(a.pieces, encoding="utf-8").read().split("\n") if p]
    else:
        kept = chosen(a, tokenizer, pieces)
    open(f"{a.out}/vocab.txt", "w", encoding="utf-8").write("\n".join(pieces[i] for i in kept) + "\n")
    json.dump(kept, open(f"{a.out}/kept.json", "w"))
    spec = renumbered(json.load(open(a.tokenizer, encoding="utf-8")), pieces, kept)
    json.dump(spec, open(f"{a.out}/tokenizer.json", "w", encoding="utf-8"), ensure_ascii=False)


if __name__ == "__main__":
    main()
