"""Gather open text for training: one document a line, `{"k": kind, "h": heading, "s": [sentence or turn, ...]}`.

    python gather.py --talk DIR --chitchat FILE --pypi DIR --crates DIR --debs DIR --wordnet DIR --out docs.jsonl.xz

Only sources under permissive terms are read (table in README.md); what a source lacks is reported
and left out.  Kinds: dialog, persona, utterance, manual, readme, api, code, gloss, prose, summary.
A `code` document is `[code]` under the first line of its documentation as heading.
"""
import argparse
import hashlib
import json
import lzma
import multiprocessing
import random
import re
from collections import Counter
from pathlib import Path

from prose import clean, html_sections, markup_sections, sentences
from software import crate, python_archive

# Pages under share-alike terms inside manuals that are permissive otherwise: wxWidgets in Erlang's, the embedded book in Rust's.
OTHER_TERMS = re.compile(r"/wx-[\d.]+/|/embedded-book/")
NAMED = re.compile(r"\[(User|user) [12]'?s? name\]")


def read_lines(path):
    import gzip
    with gzip.open(path, "rt", encoding="utf-8") as file:
        for line in file:
            yield json.loads(line)


def talk(folder):
    """Taskmaster-4, Topical-Chat, Synthetic-Persona-Chat, banking77 and clinc150 in the uniform form."""
    folder = Path(folder)
    for name in ("taskmaster", "topical_chat"):
        for row in read_lines(folder / f"{name}.jsonl.gz"):
            yield "dialog", "", [clean(t[1])[:1200] for t in row["turns"]]
    for row in read_lines(folder / "synthetic_persona_chat.jsonl.gz"):
        turns = [re.sub(r"^User [12]:\s*", "", t) for t in row["Best Generated Conversation"].split("\n")]
        yield "dialog", "", [clean(NAMED.sub("Alex", t))[:1200] for t in turns if len(t) > 2]
        for side in ("user 1 personas", "user 2 personas"):
            yield "persona", "", [clean(x) for x in row[side].split("\n")]
    groups = {}
    for row in read_lines(folder / "intents_banking77_clinc150.jsonl.gz"):
        groups.setdefault((row["src"], row["label"]), []).append(clean(row["text"]))
    for (_, label), lines in sorted(groups.items()):
        random.Random(label).shuffle(lines)
        for i in range(0, len(lines), 8):
            yield "utterance", label.replace("_", " "), lines[i:i + 8]


def chitchat(path):
    """BYU Chit-Chat: messages of one sender in a row are one turn."""
    for chat in json.load(open(path, encoding="utf-8")).values():
        turns = [clean(" ".join(m["text"] for m in turn if m["text"])) for turn in chat["messages"]]
        turns = [t[:1200] for t in turns if 1 < len(t)]
        if len(turns) > 3:
            yield "dialog", clean(chat.get("prompt") or ""), turns


def wordnet(folder):
    for part in ("noun", "verb", "adj", "adv"):
        for line in open(Path(folder) / f"data.{part}", encoding="utf-8", errors="replace"):
            if line.startswith("  ") or " | " not in line:
                continue
            left, gloss = line.split(" | ", 1)
            fields = left.split()
            words = [fields[4 + 2 * i].replace("_", " ").split("(")[0] for i in range(int(fields[3], 16))]
            parts = [clean(x).strip('"') for x in gloss.strip().split("; ")]
            yield "gloss", ", ".join(words[:4]), parts[:4]


def novels(folder):
    """Public-domain novels inside an R package: zlib blocks behind a four-byte length."""
    import zlib
    for path in Path(folder).rglob("Rdata.rdb"):
        raw, at = path.read_bytes(), 0
        while at + 8 < len(raw):
            found = raw.find(b"x", at)
            if found < 0:
                break
            try:
                text = zlib.decompressobj().decompress(raw[found:])
            except zlib.error:
                at = found + 1
                continue
            at = found + max(8, len(text) // 8)
            if len(text) < 10000:
                continue
            lines = [m.decode("latin-1").strip() for m in re.findall(rb"[\x20-\x7e]{2,}|\x00\x00\x00\x00(?=\x00\x04)", text)]
            prose = sentences(" ".join(x for x in lines if len(x) > 3))
            for i in range(0, len(prose), 20):
                yield "prose", "", prose[i:i + 20]


def manuals(folder, per_package=9000):
    for package in sorted(Path(folder).iterdir()):
        pages = [p for p in sorted(package.rglob("*.htm*"))
                 if not re.search(r"genindex|_modules|/src/|search|/implementors/|/all\.html|print\.html", str(p)) and not OTHER_TERMS.search(str(p))]
        random.Random(1).shuffle(pages)
        count = 0
        for page in pages:
            for heading, lines in html_sections(page):
                yield "manual", heading, lines
                count += 1
            if count > per_package:
                break
        print(f"  {package.name}: {count} sections", flush=True)
    for path in Path(folder).rglob("devil.dict.dz"):
        import gzip
        text = gzip.open(path, "rt", encoding="utf-8", errors="replace").read()
        for entry in re.split(r"\n(?=[A-Z][A-Z-]+[, ])", text):
            yield "prose", "", sentences(entry)


def many(work, paths, jobs):
    paths = sorted(paths)
    with multiprocessing.Pool(jobs) as pool:
        for rows in pool.imap(work, paths, chunksize=2):
            yield from rows


def main():
    parser = argparse.ArgumentParser()
    for name in ("talk", "chitchat", "pypi", "crates", "debs", "wordnet", "out"):
        parser.add_argument("--" + name)
    parser.add_argument("--jobs", type=int, default=2)
    a = parser.parse_args()
    steps = [("talk", talk), ("chitchat", chitchat), ("wordnet", wordnet),
             ("debs", lambda d: [*novels(d), *manuals(d)]),
             ("crates", lambda d: many(crate, [str(p) for p in Path(d).iterdir()], a.jobs)),
             ("pypi", lambda d: many(python_archive, [str(p) for p in Path(d).iterdir()], a.jobs))]
    seen, counts, size = set(), Counter(), Counter()
    with lzma.open(a.out, "wt", preset=6, encoding="utf-8") as file:
        for name, step in steps:
            if not getattr(a, name):
                print("without", name)
                continue
            for kind, heading, lines in step(getattr(a, name)):
                lines = [x for x in lines if x]
                key = hashlib.blake2b(" ".join(lines)[:300].encode("utf-8", "replace"), digest_size=8).digest()
                if not lines or key in seen:
                    continue
                seen.add(key)
                file.write(json.dumps({"k": kind, "h": clean(heading)[:200], "s": lines}, ensure_ascii=False) + "\n")
                counts[name, kind] += 1
                size[name, kind] += sum(map(len, lines))
            print(name, {k: (n, size[k]) for k, n in counts.items() if k[0] == name}, flush=True)


if __name__ == "__main__":
    main()
