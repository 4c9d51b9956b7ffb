"""Distil e5-small into students with fewer layers, teach them int8 and the pruned vocabulary, then to find answers.

    python train.py --teacher teacher.safetensors --tokenizer tokenizer.json --pruned DIR --docs docs.jsonl.xz \\
        --sets RETRIEVAL_SETS --students "six=0,2,4,7,9,11;three=0,5,11" --seconds 400 --state STATE --out OUT

Each step the teacher embeds a batch of whole groups and every student follows it: its vectors, its similarities
between queries and passages, and (first phase) its hidden states.  The second phase runs on the pruned vocabulary
with all rounding of the shipped arithmetic in place.  The third (--third, or alone with --begin FILE) goes on so and
adds what the teacher does not know: a question about a turn has to find this turn among the others.  A later run with
the same state folder takes up its corpus, and the students named by --resume where their first phase ended.  Phases
are limited by seconds, so another machine gives slightly other weights.
"""
import argparse
import dataclasses
import json
import math
import os
import pickle
import time

import numpy as np
import torch
import torch.nn.functional as F
from safetensors.torch import load_file, save_file

import bert
import measure
from data import LIMIT, PREFIX, Corpus, Feed, load_tokenizer, pack

BEGIN = time.time()
SPREAD = 0.25  # about the mean square distance of the teacher's vectors from their mean: puts the vector loss near 1


def log(*words):
    print(f"[{time.time() - BEGIN:6.1f}]", *words, flush=True)


def encoder(model, tokenizer, device, tokens=65536):
    """A function (texts, purpose) -> unit vectors as float32 numpy, at full precision."""
    @torch.inference_mode()
    def encode(texts, purpose):
        rows = [np.array(e.ids, np.uint16) for e in tokenizer.encode_batch_fast([PREFIX[purpose] + t for t in texts])]
        order = sorted(range(len(rows)), key=lambda i: len(rows[i]))
        out, at = np.zeros((len(rows), bert.HIDDEN), np.float32), 0
        while at < len(order):
            end, size = at, 0
            while end < len(order) and (size == 0 or size + len(rows[order[end]]) <= tokens - 1):
                size += len(rows[order[end]])
                end += 1
            part = order[at:end]
            out[part] = model(pack([rows[i] for i in part], None, None, device)).float().cpu().numpy()
            at = end
        return out
    return encode


def relation(student, teacher, marks, tau):
    """KL(teacher || student) of each row's softmax over the passages; queries count double."""
    passage, query = marks == 1, marks == 0
    hidden = ~passage[None, :] | torch.eye(len(marks), dtype=torch.bool, device=marks.device)
    a = F.log_softmax((teacher @ teacher.T / tau).masked_fill(hidden, -1e4), 1)
    b = F.log_softmax((student @ student.T / tau).masked_fill(hidden, -1e4), 1)
    rows = (a.exp() * (a - b)).sum(1)
    weight = query.float() * 2 + passage.float() * 0.5
    return (rows * weight).sum() / weight.sum()


def answers(student, teacher, kinds, tau):
    """InfoNCE: a question that points to a turn against the passages of the batch.

    Passages that hold this turn among others are left out, and so are passages of other groups that the teacher finds
    at least as near as the turn: the same fact is told in many chats.  The other turns of the chat always count.
    """
    mark, first, last, group = kinds.T
    passage, asks = mark == 1, (mark == 0) & (first >= 0)
    same = group[:, None] == group[None, :]
    holds = same & passage[None, :] & (first[None, :] <= first[:, None]) & (first[:, None] <= last[None, :])
    right = holds & (first[None, :] == last[None, :])
    alike = teacher @ teacher.T
    bound = alike.masked_fill(~right, -1).amax(1, keepdim=True)
    hidden = ~passage[None, :] | (holds & ~right) | (~same & (alike >= bound))
    scores = student @ student.T / tau
    rows = scores.masked_fill(hidden, -1e4).logsumexp(1) - scores.masked_fill(~right, -1e4).logsumexp(1)
    weight = (asks & right.any(1)).float()
    return (rows * weight).sum() / weight.sum().clamp(min=1)


@dataclasses.dataclass
class Phase:
    """What distinguishes a phase: its rate falls to `low` of itself; `drawn` weighs the answers, `share` of the groups have them."""
    name: str
    seconds: float
    rate: float
    low: float
    rounding: bool
    seed: int
    drawn: float = 0
    share: float = 0


class Student:
    def __init__(self, name, model, take):
        self.name, self.model, self.take = name, model, take

    def optimise(self, rate):
        self.rate = rate
        groups = [dict(params=self.model.tokens.parameters(), weight_decay=0.0, factor=0.5),
                  dict(params=[p for n, p in self.model.named_parameters() if not n.startswith("tokens.")], weight_decay=0.01, factor=1.0)]
        self.optimiser = torch.optim.AdamW(groups, lr=rate, betas=(0.9, 0.98), fused=next(self.model.parameters()).is_cuda)

    def step(self, batch, kinds, target, states, a, drawn, pace):
        with torch.autocast(a.device, torch.bfloat16, enabled=a.device == "cuda"):
            vectors, mine = self.model(batch, states=True)
        marks = kinds[:, 0]
        real = (marks < 2).float()
        vector = (((vectors - target) ** 2).sum(1) * real).sum() / real.sum() / SPREAD
        related = relation(vectors, target, marks, a.tau)
        hint = answer = vectors.new_zeros(())
        if states is not None:
            for x, i in zip(mine, self.take):
                t = states[i].float()
                hint = hint + ((x.float() - t) ** 2).mean() / t.var() / len(self.take)
        if drawn:
            answer = answers(vectors, target, kinds, a.heat)
        loss = vector + related + a.hint * hint + drawn * answer
        for g in self.optimiser.param_groups:
            g["lr"] = self.rate * g["factor"] * pace
        self.optimiser.zero_grad(set_to_none=True)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimiser.step()
        return torch.stack([x.detach() for x in (vector, related, hint, answer)])


def train(a, phase, corpus, teacher, students):
    """Train all students on the same batches for the seconds of the phase; int8 files are kept on the way."""
    for s in students:
        s.model.train().int8(phase.rounding)
        s.optimise(phase.rate)
    feed = Feed(corpus, a.tokens, a.texts, phase.seed, a.device, phase.rounding, phase.share)
    begin, step, texts, sums = time.time(), 0, 0, 0
    kept = begin
    while (done := (time.time() - begin) / phase.seconds) < 1:
        count, kinds, wide, slim = feed.next()
        with torch.no_grad(), torch.autocast(a.device, torch.float16, enabled=a.device == "cuda"):
            target, states = teacher(wide, states=True)
        pace = (phase.low + (1 - phase.low) * 0.5 * (1 + math.cos(math.pi * done))) * min(1.0, (step + 1) / a.warm)
        parts = torch.stack([s.step(slim, kinds, target, None if phase.rounding else states, a, phase.drawn, pace) for s in students])
        sums = sums + parts
        step, texts = step + 1, texts + count
        if step % a.every == 0:
            mean = (sums / a.every).tolist()
            log(f"{phase.name} step {step} texts {texts} {texts / (time.time() - begin):.0f}/s",
                *(f"{s.name} vector {m[0]:.4f} relation {m[1]:.4f} hint {m[2]:.4f} answer {m[3]:.4f}" for s, m in zip(students, mean)))
            sums = 0
        if phase.rounding and time.time() - kept > a.keep:
            for s in students:
                save(a, "nuthatch-e5-" + s.name, s.model)
            kept = time.time()
    feed.close()
    log(phase.name, "done: steps", step, "texts", texts)


def report(a, results, name, model, tokenizer):
    model.eval()
    scores = measure.measure(a.sets, encoder(model, tokenizer, a.device))
    results[name] = scores
    log(f"{name:22s}", measure.line(scores))
    json.dump(results, open(f"{a.out}/results.json", "w"), indent=1)


def prune(model, kept):
    table = torch.nn.Embedding(len(kept), bert.HIDDEN)
    table.weight.data.copy_(model.tokens.weight.data.cpu()[kept])
    model.tokens = table.to(model.norm.weight.device)


def save(a, name, model):
    """The int8 file; it is whole at any time."""
    path = f"{a.out}/{name}.safetensors"
    save_file(bert.shipped(model), path + ".new", {"config": json.dumps(bert.config(name, a.version, model))})
    os.replace(path + ".new", path)
    log(name, "file", os.path.getsize(path))


def corpus_of(a):
    """The corpus of the state folder; the first run there makes it, with its own seed."""
    path = f"{a.state}/corpus.pickle"
    if os.path.exists(path):
        with open(path, "rb") as file:
            return pickle.load(file)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"
    corpus = Corpus(a.docs, [a.tokenizer, f"{a.pruned}/tokenizer.json"], a.made, a.seed, a.jobs, a.most)
    os.environ["TOKENIZERS_PARALLELISM"] = "true"
    with open(path + ".new", "wb") as file:
        pickle.dump(corpus, file, protocol=5)
    os.replace(path + ".new", path)
    return corpus


def students_of(a, teacher):
    """Students begin as layers of the teacher, where the float phase of an earlier run in this state folder left them, or as an int8 file."""
    students = []
    if a.begin and ";" in a.students:
        raise SystemExit("--begin is one file: name one student")
    for spec in a.students.split(";"):
        name, take = spec.split("=")
        take = [int(x) for x in take.split(",")]
        model = bert.read_shipped(a.begin)[0].to(a.device) if a.begin else teacher.student(take, LIMIT).to(a.device)
        if not a.begin and name in a.resume.split(","):
            model.load_state_dict(torch.load(f"{a.state}/{name}.pt", map_location=a.device))
        students.append(Student(name, model, take))
    return students


def arguments():
    parser = argparse.ArgumentParser()
    for name in ("teacher", "tokenizer", "pruned", "docs", "sets", "out", "state", "students"):
        parser.add_argument("--" + name, required=True)
    for name, kind, default in (("seconds", float, 400), ("rounded", float, 0.3), ("rate", float, 6e-4), ("rate2", float, 2e-4), ("tau", float, 0.02),
                                ("third", float, 0), ("rate3", float, 1e-4), ("drawn", float, 0.2), ("share", float, 0), ("heat", float, 0.02),
                                ("begin", str, ""), ("keep", float, 60),
                                ("hint", float, 1.0), ("tokens", int, 65536), ("texts", int, 3584), ("made", int, 80000), ("most", int, None),
                                ("jobs", int, 16), ("warm", int, 200), ("every", int, 250), ("seed", int, 1),
                                ("version", str, "2"), ("device", str, "cuda"), ("resume", str, "")):
        parser.add_argument("--" + name, type=kind, default=default)
    parser.add_argument("--baseline", action="store_true", help="score and save the teacher, too")
    return parser.parse_args()


def distil(a, corpus, teacher, students, results, wide):
    """The first two phases; what begins as an int8 file has them behind it."""
    if a.begin:
        return
    # A student with all layers already is the teacher; it only learns the rounding and the vocabulary.
    fewer = [s for s in students if len(s.take) < len(teacher.layers)]
    first = a.seconds * (1 - a.rounded - a.third) if fewer else 0
    if fewer:
        train(a, Phase("float", first, a.rate, 0.15, False, a.seed), corpus, teacher, fewer)
        for s in fewer:
            torch.save(s.model.state_dict(), f"{a.state}/{s.name}.pt")
            report(a, results, s.name + " float", s.model, wide)
    kept = json.load(open(f"{a.pruned}/kept.json"))
    for s in students:
        prune(s.model, kept)
    train(a, Phase("int8", a.seconds * (1 - a.third) - first, a.rate2, 0.0, True, a.seed + 1), corpus, teacher, students)
    for s in students:
        save(a, "nuthatch-e5-" + s.name, s.model)


def main():
    a = arguments()
    for folder in (a.out, a.state):
        os.makedirs(folder, exist_ok=True)
    corpus = corpus_of(a)
    log("corpus", corpus.describe())
    torch.manual_seed(a.seed)
    wide, slim = load_tokenizer(a.tokenizer), load_tokenizer(f"{a.pruned}/tokenizer.json")
    teacher = bert.read_teacher(load_file(a.teacher)).to(a.device).eval()
    results = {}
    if a.baseline:
        report(a, results, "teacher", teacher, wide)
        report(a, results, "teacher int8", teacher.int8(True), wide)
        save(a, "e5-small", teacher.int8(False))
    students = students_of(a, teacher)
    distil(a, corpus, teacher, students, results, wide)
    if a.begin or a.third:
        for s in students:
            report(a, results, s.name + " before answers", s.model.int8(True), slim)
        seconds = a.seconds if a.begin else a.seconds * a.third
        train(a, Phase("answers", seconds, a.rate3, 0.0, True, a.seed + 2, a.drawn, a.share), corpus, teacher, students)
    for s in students:
        report(a, results, s.name + " int8", s.model, slim)
        save(a, "nuthatch-e5-" + s.name, s.model)
        report(a, results, s.name + " unrounded", s.model.int8(False), slim)
    log("all done")


if __name__ == "__main__":
    main()
