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
    """A share of the documents as token arrays of both vocabularies: (marks, spans, group sizes, flat and lengths for each)."""
    docs, made, seed, paths = job
    groups = [group(json.loads(line), f"{seed}/{r}/{n}") for n, (line, rounds) in enumerate(docs) for r in range(rounds)]
    rng = random.Random(f"{seed}/chats")
    groups += [chats.make(rng) for _ in range(made)]
    pieces = []
    for g in groups:  # a long conversation becomes several groups
        pieces += [g[i:i + 120] for i in range(0, len(g), 120)]
    texts = [PREFIX[m] + t for g in pieces for t, m, _ in g]
    marks = np.array([m for g in pieces for _, m, _ in g], np.uint8)
    spans = np.array([s for g in pieces for _, _, s in g], np.int16).reshape(-1, 2)
    out = []
    for path in paths:
        tokenizer, rows = load_tokenizer(path), []
        for i in range(0, len(texts), 20000):
            rows += [np.array(e.ids, np.uint16) for e in tokenizer.encode_batch_fast(texts[i:i + 20000])]
        out.append((np.concatenate(rows), np.array([len(r) for r in rows], np.int32)))
    return marks, spans, np.array([len(g) for g in pieces], np.int32), out


class Corpus:
    """All texts: two flat token arrays (teacher's and pruned vocabulary), marks, spans, groups."""

    def __init__(self, docs, paths, made, seed=0, jobs=16, most=None):
        with lzma.open(docs, "rt", encoding="utf-8") as file:
            lines = file.readlines()
        random.Random(seed).shuffle(lines)
        lines = lines[:most]
        rounds = lambda line: ROUNDS.get(line[7:line.index('"', 7)], 1)
        shares = [([(x, rounds(x)) for x in lines[i::jobs * 4]], made // (jobs * 4), f"{seed}/{i}", paths) for i in range(jobs * 4)]
        with multiprocessing.get_context("fork").Pool(jobs) as pool:
            parts = pool.map(expand, shares, chunksize=1)
        self.marks, self.spans, sizes = (np.concatenate([p[i] for p in parts]) for i in (0, 1, 2))
        self.ends = np.cumsum(sizes)
        self.starts = self.ends - sizes
        self.flat = [np.concatenate([p[3][v][0] for p in parts]) for v in (0, 1)]
        lengths = [np.concatenate([p[3][v][1] for p in parts]) for v in (0, 1)]
        self.offsets = [np.concatenate([[0], np.cumsum(n, dtype=np.int64)]) for n in lengths]
        self.longest = np.maximum(*lengths)
        self.weight = np.add.reduceat(self.longest, self.starts)
        pairs = (self.marks == QUERY) & (self.spans[:, 0] >= 0)
        self.paired = np.logical_or.reduceat(pairs, self.starts)
        self.pairs = int(pairs.sum())

    def describe(self):
        return dict(texts=len(self.marks), queries=int((self.marks == QUERY).sum()), pairs=self.pairs, groups=len(self.starts),
                    with_pairs=int(self.paired.sum()), tokens=[int(o[-1]) for o in self.offsets])

    def rows(self, texts, vocabulary):
        flat, off = self.flat[vocabulary], self.offsets[vocabulary]
        return [flat[off[t]:off[t + 1]] for t in texts]

    def kinds(self, texts, count):
        """A row for each text: mark (2 for what only fills up), first and last turn, group."""
        out = np.full((count, 4), -1, np.int64)
        out[:, 0] = 2
        out[:len(texts), 0], out[:len(texts), 1:3] = self.marks[texts], self.spans[texts]
        out[:len(texts), 3] = np.searchsorted(self.ends, texts, side="right")
        return out

    def order(self, rng, share):
        """The groups in random order; with a share, only so many of one kind that this part of them has pairs."""
        groups = rng.permutation(len(self.starts))
        paired = self.paired[groups]
        have = paired.mean()
        if not share or have in (0, 1):
            return groups
        keep = np.where(paired, share / have, (1 - share) / (1 - have))
        return groups[rng.random(len(groups)) < keep / keep.max()]

    def steps(self, tokens, texts, seed, share=0):
        """Endless: arrays of text numbers, whole groups, at most `tokens` tokens and `texts` texts."""
        rng = np.random.default_rng(seed)
        room = texts - tokens // LIMIT - 1
        while True:
            got, size, count = [], 0, 0
            for g in self.order(rng, share):
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
    """Batches made ahead in threads: (number of texts, kinds, teacher's batch, student's batch)."""

    def __init__(self, corpus, tokens, texts, seed, device, pruned, share=0, threads=3):
        self.queue, self.stop = queue.Queue(8), False
        steps, lock = corpus.steps(tokens, texts, seed, share), threading.Lock()

        def work():
            while not self.stop:
                with lock:
                    idx = next(steps)
                wide = pack(corpus.rows(idx, 0), tokens, texts, device)
                slim = pack(corpus.rows(idx, 1), tokens, texts, device) if pruned else wide
                item = len(idx), torch.from_numpy(corpus.kinds(idx, texts)).to(device), wide, slim
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
