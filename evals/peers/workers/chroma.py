"""chromadb as a library: one collection for each conversation, MiniLM as ONNX handed in."""

import os
import sys

import chromadb
import numpy as np
import onnxruntime
from tokenizers import Tokenizer

from lines import serve

model, data = sys.argv[1], sys.argv[2]


options = onnxruntime.SessionOptions()
options.intra_op_num_threads = 1
# Once for the process: chromadb makes its embedding function anew for every call.
session = onnxruntime.InferenceSession(os.path.join(model, "model.onnx"), options, providers=["CPUExecutionProvider"])
tokenizer = Tokenizer.from_file(os.path.join(model, "tokenizer.json"))
tokenizer.enable_truncation(max_length=256)
tokenizer.no_padding()


class MiniLm(chromadb.EmbeddingFunction):
    """Mean pooling over the tokens there are, then length one; nothing is padded."""

    def __init__(self):
        pass

    def one(self, text):
        ids = np.array([tokenizer.encode(text).ids], dtype=np.int64)
        feed = {"input_ids": ids, "attention_mask": np.ones_like(ids), "token_type_ids": np.zeros_like(ids)}
        mean = session.run(None, feed)[0][0].mean(axis=0)
        return (mean / np.linalg.norm(mean)).astype(np.float32)

    def __call__(self, input):
        return [self.one(text) for text in input]

    @staticmethod
    def name():
        return "minilm-local"

    def get_config(self):
        return {}

    @staticmethod
    def build_from_config(config):
        return MiniLm()


client = chromadb.PersistentClient(path=data)
embed = MiniLm()
collections = {}


def collection(ns):
    if ns not in collections:
        space = {"hnsw:space": "cosine"}
        collections[ns] = client.get_or_create_collection(ns, embedding_function=embed, metadata=space)
    return collections[ns]


def add(turn):
    collection(turn["ns"]).add(ids=[turn["id"]], documents=[turn["text"]])


def bulk(turns):
    for ns in {turn["ns"] for turn in turns}:
        own = [turn for turn in turns if turn["ns"] == ns]
        collection(ns).add(ids=[t["id"] for t in own], documents=[t["text"] for t in own])


def search(ns, query, limit):
    return {"ids": collection(ns).query(query_texts=[query], n_results=limit)["ids"][0]}


serve(ready=lambda: {}, add=add, bulk=bulk, search=search)
