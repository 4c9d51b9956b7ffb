#!/usr/bin/env python3
"""Writes model.onnx beside the safetensors weights of a small BERT.

    minilm_onnx.py FOLDER

The graph takes input_ids, attention_mask and token_type_ids and gives last_hidden_state, as
the exported models that peers download do. It is built node by node, so that no training
framework is needed.
"""

import json
import os
import sys

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from safetensors.numpy import load_file


class Graph:
    def __init__(self, weights):
        self.weights, self.nodes, self.initializers, self.count = weights, [], {}, 0

    def constant(self, array, name=None):
        name = name or f"c{len(self.initializers)}"
        if name not in self.initializers:
            self.initializers[name] = numpy_helper.from_array(np.ascontiguousarray(array), name)
        return name

    def weight(self, name, transposed=False):
        array = self.weights[name].astype(np.float32)
        return self.constant(array.T if transposed else array, name)

    def node(self, kind, inputs, **attributes):
        self.count += 1
        output = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, inputs, [output], name=output, **attributes))
        return output

    def linear(self, x, name):
        product = self.node("MatMul", [x, self.weight(name + ".weight", transposed=True)])
        return self.node("Add", [product, self.weight(name + ".bias")])

    def norm(self, x, name, epsilon):
        inputs = [x, self.weight(name + ".weight"), self.weight(name + ".bias")]
        return self.node("LayerNormalization", inputs, axis=-1, epsilon=epsilon)


def build(weights, config):
    g = Graph(weights)
    hidden, heads = config["hidden_size"], config["num_attention_heads"]
    epsilon, size = config["layer_norm_eps"], hidden // heads

    words = g.node("Gather", [g.weight("embeddings.word_embeddings.weight"), "input_ids"])
    types = g.node("Gather", [g.weight("embeddings.token_type_embeddings.weight"), "token_type_ids"])
    one = g.constant(np.array([1], np.int64))
    length = g.node("Gather", [g.node("Shape", ["input_ids"]), one], axis=0)
    zero = g.constant(np.array([0], np.int64))
    positions = g.node("Slice", [g.weight("embeddings.position_embeddings.weight"), zero, length, zero])
    x = g.node("Add", [g.node("Add", [words, types]), positions])
    x = g.norm(x, "embeddings.LayerNorm", epsilon)

    seen = g.node("Cast", ["attention_mask"], to=TensorProto.FLOAT)
    seen = g.node("Unsqueeze", [seen, g.constant(np.array([1, 2], np.int64))])
    unseen = g.node("Sub", [g.constant(np.float32(1)), seen])
    mask = g.node("Mul", [unseen, g.constant(np.float32(-1e9))])

    split = g.constant(np.array([0, 0, heads, size], np.int64))
    whole = g.constant(np.array([0, 0, hidden], np.int64))
    for layer in range(config["num_hidden_layers"]):
        base = f"encoder.layer.{layer}."
        part = lambda name, order: g.node(
            "Transpose",
            [g.node("Reshape", [g.linear(x, base + "attention.self." + name), split])],
            perm=order,
        )
        query, value = part("query", [0, 2, 1, 3]), part("value", [0, 2, 1, 3])
        key = part("key", [0, 2, 3, 1])
        scores = g.node("Mul", [g.node("MatMul", [query, key]), g.constant(np.float32(size**-0.5))])
        shares = g.node("Softmax", [g.node("Add", [scores, mask])], axis=-1)
        seen_by = g.node("Transpose", [g.node("MatMul", [shares, value])], perm=[0, 2, 1, 3])
        seen_by = g.node("Reshape", [seen_by, whole])
        out = g.linear(seen_by, base + "attention.output.dense")
        x = g.norm(g.node("Add", [out, x]), base + "attention.output.LayerNorm", epsilon)
        up = g.linear(x, base + "intermediate.dense")
        half = g.node("Mul", [up, g.constant(np.float32(0.5))])
        bent = g.node("Erf", [g.node("Mul", [up, g.constant(np.float32(0.5**0.5))])])
        bent = g.node("Mul", [half, g.node("Add", [bent, g.constant(np.float32(1))])])
        down = g.linear(bent, base + "output.dense")
        x = g.norm(g.node("Add", [down, x]), base + "output.LayerNorm", epsilon)
    g.nodes.append(helper.make_node("Identity", [x], ["last_hidden_state"], name="answer"))

    ints = lambda name: helper.make_tensor_value_info(name, TensorProto.INT64, ["batch", "length"])
    answer = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, ["batch", "length", hidden])
    graph = helper.make_graph(
        g.nodes,
        "minilm",
        [ints("input_ids"), ints("attention_mask"), ints("token_type_ids")],
        [answer],
        list(g.initializers.values()),
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    onnx.checker.check_model(model)
    return model


def main():
    folder = sys.argv[1]
    weights = load_file(os.path.join(folder, "model.safetensors"))
    weights = {name.removeprefix("bert."): array for name, array in weights.items()}
    config = json.load(open(os.path.join(folder, "config.json"), encoding="utf-8"))
    onnx.save(build(weights, config), os.path.join(folder, "model.onnx"))


if __name__ == "__main__":
    main()
