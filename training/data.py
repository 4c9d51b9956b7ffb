"""Training texts as packed batches: expand the documents, tokenize with both vocabularies, fill batches with whole groups."""
import json
import lzma
import multiprocessing
import queue
import random
import threading
from dataclasses import dataclass

import numpy as np
import torch
from tokenizers import Tokenizer

import chats
from texts import PASSAGE, QUERY, ROUNDS, group

LIMIT = 256
PREFIX = {QUERY: "query: ", PASSAGE: "passage: "}


@dataclass
class Batch:
    """Packed texts on a device; texts behind `real` only fill the row up."""
    ids: torch.Tensor
    at: torch.Tensor
    text: torch.Tensor
    cu: torch.Tensor
    lengths: torch.Tensor
    count: int
    longest: int


def load_tokenizer(path, limit=LIMIT):
    tokenizer = Tokenizer.from_file(path)
    tokenizer.no_padding()
    tokenizer.enable_truncation(limit)
    return tokenizer


def pack(rows, tokens, texts, device):
    """rows: token arrays.  Padded to `tokens` tokens and `texts` texts where given, so that shapes stay fixed."""
    lengths = np.array([len(r) for r in rows], np.int64)
    real = int(lengths.sum())
    tail = (tokens or real) - real
    fill = [LIMIT] * (tail // LIMIT) + ([tail % LIMIT] if tail % LIMIT else [])
    lengths = np.concatenate([lengths, np.array(fill, np.int64)])
    count = texts or len(lengths)
    lengths = np.concatenate([lengths, np.zeros(count - len(lengths), np.int64)])
    cu = np.zeros(count + 1, np.int32)
    np.cumsum(lengths, out=cu[1:])
    text = np.repeat(np.arange(count), lengths)
    ids = np.concatenate([*rows, np.zeros(tail, np.uint16)]).astype(np.int64)
    at = np.arange(len(ids)) - cu[text]
    put = lambda a: (lambda t: t.pin_memory().to(device, non_blocking=True) if device != "cpu" else t)(torch.from_numpy(a))
    return Batch(put(ids), put(at), put(text), put(cu), put(np.maximum(lengths, 1).astype(np.float32)), count, LIMIT)


def expand(job):
    """A share of the documents as token arrays of both vocabularies: (marks, group sizes, flat and lengths for each)."""
    docs, made, seed, paths = job
    groups = [group(json.loads(line), f"{seed}/{r}/{n}") for n, (line, rounds) in enumerate(docs) for r in range(rounds)]
    rng = random.Random(f"{seed}/chats")
    for _ in range(made):
        g = chats.make(rng)
        groups.append([(t, PASSAGE) for t in g["p"]] + [(t, QUERY) for t in g["q"]])
    pieces = []
    for g in groups:  # a long conversation becomes several groups
        pieces += [g[i:i + 120] for i in range(0, len(g), 120)]
    texts = [PREFIX[m] + t for g in pieces for t, m in g]
    marks = np.array([m for g in pieces for _, m in g], np.uint8)
    out = []
    for path in paths:
        tokenizer, rows = load_tokenizer(path), []
        for i in range(0, len(texts), 20000):
            rows += [np.array(e.ids, np.uint16) for e in tokenizer.encode_batch_fast(texts[i:i + 20000])]
        out.append((np.concatenate(rows), np.array([len(r) for r in rows], np.int32)))
    return marks, np.array([len(g) for g in pieces], np.int32), out


class Corpus:
    """All texts: two flat token arrays (teacher's and pruned vocabulary), marks, groups."""

    def __init__(self, docs, paths, made, seed=0, jobs=16, most=None):
        with lzma.open(docs, "rt", encoding="utf-8") as file:
            lines = file.readlines()
        random.Random(seed).shuffle(lines)
        lines = lines[:most]
        rounds = lambda line: ROUNDS.get(line[7:line.index('"', 7)], 1)
        shares = [([(x, rounds(x)) for x in lines[i::jobs * 4]], made // (jobs * 4), f"{seed}/{i}", paths) for i in range(jobs * 4)]
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            parts = pool.map(expand, shares, chunksize=1)
        self.marks = np.concatenate([p[0] for p in parts])
        sizes = np.concatenate([p[1] for p in parts])
        self.ends = np.cumsum(sizes)
        self.starts = self.ends - sizes
        self.flat = [np.concatenate([p[2][v][0] for p in parts]) for v in (0, 1)]
        lengths = [np.concatenate([p[2][v][1] for p in parts]) for v in (0, 1)]
        self.offsets = [np.concatenate([[0], np.cumsum(n, dtype=np.int64)]) for n in lengths]
        self.longest = np.maximum(*lengths)
        self.weight = np.add.reduceat(self.longest, self.starts)

    def describe(self):
        return dict(texts=len(self.marks), queries=int((self.marks == QUERY).sum()), groups=len(self.starts),
                    tokens=[int(o[-1]) for o in self.offsets])

    def rows(self, texts, vocabulary):
        flat, off = self.flat[vocabulary], self.offsets[vocabulary]
        return [flat[off[t]:off[t + 1]] for t in texts]

    def steps(self, tokens, texts, seed):
        """Endless: arrays of text numbers, whole groups, at most `tokens` tokens and `texts` texts."""
        rng = np.random.default_rng(seed)
        room = texts - tokens // LIMIT - 1
        while True:
            got, size, count = [], 0, 0
            for g in rng.permutation(len(self.starts)):
                n, w = self.ends[g] - self.starts[g], self.weight[g]
                if size + w > tokens or count + n > room:
                    if got:
                        yield np.concatenate(got)
                    got, size, count = [], 0, 0
                    if w > tokens:
                        continue
                got.append(np.arange(self.starts[g], self.ends[g]))
                size, count = size + w, count + n


class Feed:
    """Batches made ahead in threads: (text numbers, marks, teacher's batch, student's batch)."""

    def __init__(self, corpus, tokens, texts, seed, device, pruned, threads=3):
        self.queue, self.stop = queue.Queue(8), False
        steps, lock = corpus.steps(tokens, texts, seed), threading.Lock()

        def work():
            while not self.stop:
                with lock:
                    idx = next(steps)
                marks = np.full(texts, 2, np.int64)
                marks[:len(idx)] = corpus.marks[idx]
                wide = pack(corpus.rows(idx, 0), tokens, texts, device)
                slim = pack(corpus.rows(idx, 1), tokens, texts, device) if pruned else wide
                item = len(idx), torch.from_numpy(marks).to(device), wide, slim
                while not self.stop:
                    try:
                        self.queue.put(item, timeout=0.2)
                        break
                    except queue.Full:
                        pass
        for _ in range(threads):
            threading.Thread(target=work, daemon=True).start()

    def next(self):
        return self.queue.get()

    def close(self):
        self.stop = True
