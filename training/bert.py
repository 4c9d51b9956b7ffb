"""BERT encoder over packed texts, with int8 as an option: the teacher, the students, and their files.

Texts of a batch lie one behind the other in one row of tokens; attention stays inside each text.  With `int8` every
linear layer sees weights rounded per output row and inputs rounded per token, as the shipped arithmetic does; the
gradient passes the rounding unchanged.
"""
import json

import torch
import torch.nn as nn
import torch.nn.functional as F

HIDDEN, HEADS, FFN, EPS = 384, 12, 1536, 1e-12
PARTS = ("query", "key", "value", "attention", "up", "down")


def rounded(x):
    """x as int8 * scale along the last axis: (integers as floats, scale).  Straight-through gradient."""
    scale = x.abs().amax(-1, keepdim=True).clamp(min=1e-12) / 127
    y = x / scale
    return y + (torch.round(y) - y).detach(), scale


class Linear(nn.Linear):
    def int8(self, x):
        qx, sx = rounded(x.float())
        qw, sw = rounded(self.weight.float())
        if torch.is_autocast_enabled(x.device.type):
            y = F.linear(qx.to(torch.bfloat16), qw.to(torch.bfloat16)).float()
        else:
            y = F.linear(qx, qw)
        return y * sx * sw.squeeze(-1) + self.bias.float()


def attend(q, k, v, cu, longest):
    """Attention inside each packed text; q, k, v: [tokens, heads, head]."""
    if q.is_cuda:
        from torch.nn.attention.varlen import varlen_attn
        kind = torch.float16 if q.dtype == torch.float32 else q.dtype
        return varlen_attn(q.to(kind), k.to(kind), v.to(kind), cu, cu, longest, longest).to(q.dtype)
    rows = []
    for start, end in zip(cu[:-1].tolist(), cu[1:].tolist()):
        if end > start:
            a, b, c = (z[start:end].transpose(0, 1) for z in (q, k, v))
            rows.append(F.scaled_dot_product_attention(a[None], b[None], c[None])[0].transpose(0, 1))
    return torch.cat(rows)


class Layer(nn.Module):
    def __init__(self):
        super().__init__()
        for name in PARTS:
            setattr(self, name, Linear(FFN if name == "down" else HIDDEN, FFN if name == "up" else HIDDEN))
        self.attention_norm, self.output_norm = nn.LayerNorm(HIDDEN, EPS), nn.LayerNorm(HIDDEN, EPS)
        self.rounding = False

    def forward(self, x, cu, longest):
        run = (lambda part, z: part.int8(z)) if self.rounding else (lambda part, z: part(z))
        q, k, v = (run(p, x).view(len(x), HEADS, HIDDEN // HEADS) for p in (self.query, self.key, self.value))
        if torch.is_autocast_enabled(x.device.type):
            q, k, v = (z.to(torch.get_autocast_dtype(x.device.type)) for z in (q, k, v))
        a = attend(q, k, v, cu, longest).reshape(len(x), HIDDEN)
        x = self.attention_norm(x + run(self.attention, a))
        return self.output_norm(x + run(self.down, F.gelu(run(self.up, x))))


class Bert(nn.Module):
    def __init__(self, layers, vocabulary, positions):
        super().__init__()
        self.tokens = nn.Embedding(vocabulary, HIDDEN)
        self.positions = nn.Embedding(positions, HIDDEN)
        self.norm = nn.LayerNorm(HIDDEN, EPS)
        self.layers = nn.ModuleList(Layer() for _ in range(layers))
        self.rounding = False

    def int8(self, on):
        self.rounding = on
        for layer in self.layers:
            layer.rounding = on
        return self

    def forward(self, batch, states=False):
        """-> unit vectors [texts, hidden], and the states behind every layer if asked."""
        w = self.tokens(batch.ids)
        if self.rounding:
            q, s = rounded(w.float())
            w = q * s
        x = self.norm(w + self.positions(batch.at))
        kept = []
        for layer in self.layers:
            x = layer(x, batch.cu, batch.longest)
            if states:
                kept.append(x)
        pooled = torch.zeros(batch.count, HIDDEN, device=x.device, dtype=torch.float32).index_add(0, batch.text, x.float())
        vectors = F.normalize(pooled / batch.lengths[:, None], dim=-1)
        return (vectors, kept) if states else vectors

    def student(self, take, positions):
        """A copy of the embeddings and of the layers `take`."""
        other = Bert(len(take), self.tokens.num_embeddings, positions)
        other.tokens.load_state_dict(self.tokens.state_dict())
        other.positions.weight.data.copy_(self.positions.weight.data[:positions])
        other.norm.load_state_dict(self.norm.state_dict())
        for mine, source in zip(other.layers, take):
            mine.load_state_dict(self.layers[source].state_dict())
        return other


HF = {"query": "attention.self.query", "key": "attention.self.key", "value": "attention.self.value", "attention": "attention.output.dense",
      "up": "intermediate.dense", "down": "output.dense", "attention_norm": "attention.output.LayerNorm", "output_norm": "output.LayerNorm"}


def read_teacher(tensors):
    """A BERT in the usual tensor names; the token table may be int8 with a scale per row."""
    t = {k.removeprefix("bert."): v for k, v in tensors.items()}
    words = t["embeddings.word_embeddings.weight"].float()
    if "embeddings.word_embeddings.scale" in t:
        words = words * t["embeddings.word_embeddings.scale"].float()[:, None]
    count = 1 + max(int(k.split(".")[2]) for k in t if k.startswith("encoder.layer."))
    positions = t["embeddings.position_embeddings.weight"].float() + t["embeddings.token_type_embeddings.weight"][0].float()
    model = Bert(count, len(words), len(positions))
    model.tokens.weight.data.copy_(words)
    model.positions.weight.data.copy_(positions)
    model.norm.load_state_dict({p: t["embeddings.LayerNorm." + p].float() for p in ("weight", "bias")})
    for i, layer in enumerate(model.layers):
        for mine, theirs in HF.items():
            getattr(layer, mine).load_state_dict({p: t[f"encoder.layer.{i}.{theirs}.{p}"].float() for p in ("weight", "bias")})
    return model


def shipped(model):
    """The tensors of the shipped int8 file."""
    def pair(name, weight):
        scale = weight.abs().amax(1).clamp(min=1e-12) / 127
        return {name: torch.round(weight / scale[:, None]).to(torch.int8), name.removesuffix(".weight") + ".scale": scale}
    out = {"embed.positions": model.positions.weight.half(), "embed.norm.weight": model.norm.weight, "embed.norm.bias": model.norm.bias}
    out |= pair("embed.tokens", model.tokens.weight.float())
    for i, layer in enumerate(model.layers):
        for part in PARTS:
            out |= pair(f"layer.{i}.{part}.weight", getattr(layer, part).weight.float())
            out[f"layer.{i}.{part}.bias"] = getattr(layer, part).bias
        for part in ("attention_norm", "output_norm"):
            out[f"layer.{i}.{part}.weight"], out[f"layer.{i}.{part}.bias"] = getattr(layer, part).weight, getattr(layer, part).bias
    return {k: v.detach().cpu().contiguous() for k, v in out.items()}


def read_shipped(path):
    """A shipped int8 file as a model that rounds."""
    from safetensors import safe_open
    with safe_open(path, "pt") as file:
        config = json.loads(file.metadata()["config"])
        t = {k: file.get_tensor(k) for k in file.keys()}
    model = Bert(config["layers"], config["vocab"], config["max_positions"])
    model.tokens.weight.data.copy_(t["embed.tokens"].float() * t["embed.tokens.scale"][:, None])
    model.positions.weight.data.copy_(t["embed.positions"].float())
    model.norm.load_state_dict({p: t["embed.norm." + p] for p in ("weight", "bias")})
    for i, layer in enumerate(model.layers):
        for part in PARTS:
            p = f"layer.{i}.{part}"
            getattr(layer, part).load_state_dict({"weight": t[p + ".weight"].float() * t[p + ".scale"][:, None], "bias": t[p + ".bias"]})
        for part in ("attention_norm", "output_norm"):
            getattr(layer, part).load_state_dict({p: t[f"layer.{i}.{part}.{p}"] for p in ("weight", "bias")})
    return model.int8(True), config


def config(name, version, model):
    return dict(name=name, version=version, licence="MIT", layers=len(model.layers), hidden=HIDDEN, heads=HEADS, ffn=FFN,
                vocab=model.tokens.num_embeddings, max_positions=model.positions.num_embeddings, norm_eps=EPS,
                query_prefix="query: ", passage_prefix="passage: ")
