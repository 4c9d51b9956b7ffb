"""What each peer is called, how it is started, and how turns go in and come out.

An adapter has `ready()`, `add(turn)`, `search(ns, query, limit)` giving turn ids, `know(turn)` to
name what a store holds already, and `bulk` where a peer takes many turns in one call. Each runs in a home folder of its own, in which the
shared model lies where the peer looks for it.
"""

import json
import os
import re
import time

import peers
from drive import Mcp, Worker

HERE = os.path.dirname(os.path.abspath(__file__))
MODEL_FILES = ["config.json", "model.onnx", "special_tokens_map.json", "tokenizer.json", "tokenizer_config.json", "vocab.txt"]


def link_model(cache, folder):
    """The model's files in `folder`, by link."""
    os.makedirs(folder, exist_ok=True)
    for name in MODEL_FILES:
        target = os.path.join(folder, name)
        if not os.path.exists(target):
            os.symlink(os.path.join(cache, "minilm", name), target)


def link_snapshot(cache, folder, repository):
    """The model as a snapshot of a model hub's cache."""
    home = os.path.join(folder, "models--" + repository.replace("/", "--"))
    link_model(cache, os.path.join(home, "snapshots", "local"))
    os.makedirs(os.path.join(home, "refs"), exist_ok=True)
    with open(os.path.join(home, "refs", "main"), "w", encoding="ascii") as main:
        main.write("local")
    # Some versions look here once the hub cannot be reached.
    name = repository.split("/")[-1].removesuffix("-onnx")
    link_model(cache, os.path.join(folder, name))
    link_model(cache, os.path.join(folder, "fast-" + name))


class Peer:
    """One peer in one folder."""

    name = ""
    interface = ""
    embedder = "MiniLM"

    def __init__(self, cache, home, nice):
        self.cache, self.home, self.nice, self.process = cache, home, nice, None
        os.makedirs(home, exist_ok=True)
        self.texts = {}

    def environment(self, **more):
        """No network, one thread, a home of its own."""
        keep = {key: os.environ[key] for key in ("PATH", "LANG", "TMPDIR") if key in os.environ}
        fixed = {
            "HOME": self.home,
            "XDG_CACHE_HOME": os.path.join(self.home, ".cache"),
            "HF_HUB_OFFLINE": "1",
            "TRANSFORMERS_OFFLINE": "1",
            "ANONYMIZED_TELEMETRY": "False",
            "OMP_NUM_THREADS": "1",
            "TOKENIZERS_PARALLELISM": "false",
            "PYTHONUNBUFFERED": "1",
        }
        return {**keep, **fixed, **more}

    def python(self, *arguments):
        return ["nice", "-n", str(self.nice), peers.python_of(self.cache, self.name), *arguments]

    def log(self):
        return os.path.join(self.home, "log")

    def ready(self):
        self.process.ready()

    def bulk(self, turns):
        """One by one, where a peer has no other way."""
        for turn in turns:
            self.add(turn)

    def know(self, turn):
        """Remembers which turn a text is; a store filled earlier is known this way, too."""
        # Equal texts of one conversation count as the first of them.
        self.texts.setdefault((turn["ns"], normal(turn["text"])), turn["id"])

    def settle(self):
        """Lets what follows behind an add catch up."""

    def close(self):
        if self.process:
            self.process.close()

    def known(self, ns, text):
        """The id of a text that came back, if it is one of those that went in."""
        return self.texts.get((ns, normal(text)))


def normal(text):
    return re.sub(r"\s+", " ", text).strip()


def distinct(ids):
    return list(dict.fromkeys(one for one in ids if one))


class Lines(Peer):
    """A library behind a worker."""

    interface = "library"
    script = ""

    def start(self):
        data = os.path.join(self.home, "data")
        os.makedirs(data, exist_ok=True)
        script = os.path.join(HERE, "workers", self.script)
        command = self.python(script, os.path.join(self.cache, "minilm"), data)
        self.process = Worker(command, self.environment(), self.log())

    def add(self, turn):
        self.process.call(do="add", turn=turn)

    def search(self, ns, query, limit):
        return self.process.call(do="search", ns=ns, query=query, limit=limit)["ids"]


class Chroma(Lines):
    name, script = "chromadb", "chroma.py"

    def bulk(self, turns):
        """Several of one conversation in one call."""
        for start in range(0, len(turns), 100):
            self.process.call(do="bulk", turns=turns[start : start + 100])


class Mem0(Lines):
    name, script, interface = "mem0", "mem_zero.py", "library, infer=False"

    def environment(self, **more):
        cache = os.path.join(self.home, "fastembed")
        link_snapshot(self.cache, cache, "qdrant/all-MiniLM-L6-v2-onnx")
        return super().environment(FASTEMBED_CACHE_PATH=cache, MEM0_DIR=os.path.join(self.home, "mem0"), **more)


class MemPalace(Peer):
    name, interface = "mempalace", "MCP"

    def start(self):
        link_model(self.cache, os.path.join(self.home, ".cache", "chroma", "onnx_models", "all-MiniLM-L6-v2", "onnx"))
        palace = os.path.join(self.home, "palace")
        environment = self.environment(MEMPALACE_PALACE_PATH=palace)
        self.process = Mcp(self.python("-m", "mempalace.mcp_server"), environment, self.log())

    def add(self, turn):
        answer = self.process.tool("mempalace_add_drawer", wing=turn["ns"], room="chat", content=turn["text"])
        if '"success": true' not in answer:
            raise RuntimeError(answer[:300])

    def search(self, ns, query, limit):
        answer = json.loads(self.process.tool("mempalace_search", query=query, wing=ns, limit=limit))
        hits = answer.get("results", [])
        return distinct(self.known(ns, hit.get("text") or hit.get("content") or "") for hit in hits)


class MemoryService(Peer):
    name, interface = "mcp-memory-service", "MCP"
    mode = "semantic"

    def start(self):
        link_model(self.cache, os.path.join(self.home, ".cache", "mcp_memory", "onnx_models", "all-MiniLM-L6-v2", "onnx"))
        environment = self.environment(
            MCP_MEMORY_STORAGE_BACKEND="sqlite_vec",
            MCP_MEMORY_SQLITE_PATH=os.path.join(self.home, "memory.db"),
            MCP_MEMORY_USE_ONNX="true",
            MCP_MEMORY_BASE_DIR=self.home,
        )
        self.process = Mcp(self.python("-m", "mcp_memory_service.server"), environment, self.log())

    def add(self, turn):
        ns = turn["ns"]
        metadata = {"tags": [ns], "type": "observation"}
        self.process.tool("memory_store", content=turn["text"], conversation_id=ns, metadata=metadata)

    def search(self, ns, query, limit):
        answer = self.process.tool("memory_search", query=query, mode=self.mode, tags=[ns], limit=limit)
        return distinct(self.known(ns, text) for text in contents(answer))


class MemoryServiceHybrid(MemoryService):
    mode = "hybrid"


def contents(answer):
    """The contents in the printed answer of memory_search."""
    return re.findall(r"(?ms)^\d+\. (.*?)\n   Hash: ", answer)


class BasicMemory(Peer):
    name, interface = "basic-memory", "MCP"

    def start(self):
        cache = os.path.join(self.home, "fastembed")
        link_snapshot(self.cache, cache, "qdrant/all-MiniLM-L6-v2-onnx")
        environment = self.environment(
            FASTEMBED_CACHE_PATH=cache,
            PYTHONPATH=os.path.join(HERE, "sqlite"),
            BASIC_MEMORY_HOME=os.path.join(self.home, "notes"),
            BASIC_MEMORY_SEMANTIC_SEARCH_ENABLED="true",
            BASIC_MEMORY_SEMANTIC_EMBEDDING_MODEL="sentence-transformers/all-MiniLM-L6-v2",
            BASIC_MEMORY_SEMANTIC_EMBEDDING_CACHE_DIR=cache,
            BASIC_MEMORY_SEMANTIC_MIN_SIMILARITY="0",
        )
        binary = os.path.join(self.cache, "venvs", self.name, "bin", "basic-memory")
        self.process = Mcp(["nice", "-n", str(self.nice), binary, "mcp"], environment, self.log())
        self.projects = set()

    def project(self, ns):
        path = os.path.join(self.home, "projects", ns)
        if os.path.isdir(path):
            self.projects.add(ns)
        if ns not in self.projects:
            os.makedirs(path)
            self.process.tool("create_memory_project", project_name=ns, project_path=path)
            self.projects.add(ns)
        return ns

    def add(self, turn):
        project = self.project(turn["ns"])
        title = self.title(turn)
        self.process.tool("write_note", title=title, content=turn["text"], directory="chat", project=project)
        self.last = (project, title, turn["text"])

    def title(self, turn):
        return f"turn {turn['id']}".replace(":", " ").replace("#", " ")

    def know(self, turn):
        self.texts[(turn["ns"], self.title(turn))] = turn["id"]

    def settle(self):
        """Vectors follow behind: wait until the last note is found by its own text."""
        ns, title, text = self.last
        for _ in range(600):
            answer = self.process.tool("search_notes", query=text, project=ns, search_type="vector", page_size=5, output_format="json")
            if any(hit.get("title") == title for hit in json.loads(answer).get("results", [])):
                return
            time.sleep(0.5)
        raise RuntimeError("the last note was not embedded within five minutes")

    def search(self, ns, query, limit):
        answer = self.process.tool("search_notes", query=query, project=self.project(ns), page_size=limit, output_format="json")
        hits = json.loads(answer).get("results", [])
        return distinct(self.texts.get((ns, hit.get("title", ""))) for hit in hits)


class Nuthatch(Peer):
    """Ours, by the same line protocol."""

    name, interface, embedder = "nuthatch", "library", "built in"
    binary = ""

    def start(self):
        store = "sqlite:" + os.path.join(self.home, "memory.db")
        command = ["nice", "-n", str(self.nice), self.binary, "worker", "--store", store]
        self.process = Worker(command, self.environment(), self.log())

    def know(self, turn):
        self.process.call(do="know", turn=turn)

    def add(self, turn):
        self.process.call(do="add", turn=turn)

    def search(self, ns, query, limit):
        return self.process.call(do="search", ns=ns, query=query, limit=limit)["ids"]


ADAPTERS = {
    "nuthatch": Nuthatch,
    "chromadb": Chroma,
    "mem0": Mem0,
    "mempalace": MemPalace,
    "mcp-memory-service": MemoryService,
    "mcp-memory-service-hybrid": MemoryServiceHybrid,
    "basic-memory": BasicMemory,
}
