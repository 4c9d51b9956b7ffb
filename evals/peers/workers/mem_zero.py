"""mem0 as a library, without an LLM: add(infer=False), search, a local Qdrant, MiniLM."""

import os
import sys

os.environ.setdefault("MEM0_TELEMETRY", "False")
# Nothing is ever sent: the client only wants to see a key before it starts.
os.environ.setdefault("OPENAI_API_KEY", "none")

from mem0 import Memory

from lines import serve

model, data = sys.argv[1], sys.argv[2]

configuration = {
    "embedder": {"provider": "fastembed", "config": {"model": "sentence-transformers/all-MiniLM-L6-v2", "embedding_dims": 384}},
    "vector_store": {
        "provider": "qdrant",
        "config": {"path": os.path.join(data, "qdrant"), "embedding_model_dims": 384, "collection_name": "turns", "on_disk": True},
    },
    "history_db_path": os.path.join(data, "history.db"),
}
memory = Memory.from_config(configuration)


def add(turn):
    memory.add(turn["text"], user_id=turn["ns"], infer=False, metadata={"turn": turn["id"]})


def search(ns, query, limit):
    try:
        found = memory.search(query, filters={"user_id": ns}, top_k=limit, threshold=0.0)
    except TypeError:
        found = memory.search(query, user_id=ns, limit=limit, threshold=0.0)
    return {"ids": [hit["metadata"]["turn"] for hit in found["results"]]}


serve(ready=lambda: {}, add=add, search=search)
