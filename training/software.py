"""Documents out of software: documented functions and their code, READMEs and manuals of Python packages and crates.

The licence is read first; what is not permissive, or does not say, is left out.  A package as a whole is judged by its
metadata, in `sources.tsv`; files of a permissive package that name other terms at their beginning are left out here.
"""
import ast
import re
import tarfile
import zipfile
import zlib
from pathlib import Path, PurePosixPath

from prose import clean, markup_sections

PERMISSIVE = re.compile(r"\b(MIT|Apache|BSD|ISC|Zlib|Unlicense|CC0|0BSD)\b", re.I)
SHARE_ALIKE = re.compile(r"GNU (Lesser |Library |Affero )?General Public|SPDX-License-Identifier:[^\n]*(GPL|MPL|CC-BY-SA)|Attribution[- ]ShareAlike|"
                         r"CC[- ]BY[- ]SA|Free Documentation Licen|Mozilla Public License", re.I)
HEAD = 4000  # where a file says what its terms are
MAX_CODE, MAX_SECTIONS, MAX_API = 1200, 900, 1200
ITEM = re.compile(r"((?:^[ \t]*///[^\n]*\n)+)((?:^[ \t]*#\[[^\n]*\n)*)"
                  r"(^[ \t]*pub(?:\([a-z]+\))? (?:async |const |unsafe )*(?:fn|struct|enum|trait) [^\n]*(?:\n[^\n]*){0,14})", re.M)


def archive_files(path):
    """(name, bytes) of the members that may hold documentation, tests left out."""
    wanted = re.compile(r"\.(py|rst|md|txt)$|METADATA$|PKG-INFO$")
    skip = re.compile(r"(^|/)(tests?|testing|_?vendor(ed)?[^/]*|third_party|locale|licenses?|extern|fixtures|data)(/|$)|changelog|changes|release|whatsnew|"
                      r"news|licen[sc]e|requirements|copying|authors", re.I)
    if path.endswith(".whl") or path.endswith(".zip"):
        with zipfile.ZipFile(path) as z:
            for m in z.infolist():
                if wanted.search(m.filename) and not skip.search(m.filename) and m.file_size < 400_000:
                    yield m.filename, z.read(m)
    elif path.endswith((".tar.gz", ".tgz", ".tar.bz2")):
        with tarfile.open(path) as t:
            for m in t:
                if m.isfile() and wanted.search(m.name) and not skip.search(m.name) and m.size < 400_000:
                    yield m.name, t.extractfile(m).read()


def permissive_files(path):
    """(name, text) without what names share-alike terms: such a module goes alone, such a page takes its folder along."""
    files = [(name, raw.decode("utf-8", "replace")) for name, raw in archive_files(path)]
    named = [PurePosixPath(name) for name, text in files if SHARE_ALIKE.search(text[:HEAD])]
    out = {p if p.suffix == ".py" else p.parent for p in named}
    return [(name, text) for name, text in files if not out & {p := PurePosixPath(name), *p.parents}]


def documented(tree):
    for node in ast.walk(tree):
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            text = ast.get_docstring(node)
            if text and len(node.body) > 1:
                yield node, text


def python_items(source):
    """(code documents, documentation sections) of one module."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return [], []
    lines, code, docs = source.split("\n"), [], []
    for node, text in documented(tree):
        first = clean(text.split("\n\n")[0])
        if not 3 <= len(first.split()) <= 40 or not first.isascii():
            continue
        head, body = lines[node.lineno - 1:node.body[0].lineno - 1], lines[node.body[0].end_lineno:node.end_lineno]
        if not isinstance(node, ast.ClassDef) and len("\n".join(body)) > 40:
            # one third bare, two thirds with the documentation in place, as real files have it
            bare = zlib.crc32(first.encode()) % 3 == 0
            whole = "\n".join(head + body if bare else lines[node.lineno - 1:node.end_lineno])
            code.append(("code", first, [whole[:1100]]))
        if len(text) > 200:
            for _, part in markup_sections(text):
                docs.append(("api", node.name.replace("_", " ").strip(), part))
    return code, docs


def python_archive(path):
    code, docs, pages = [], [], []
    try:
        for name, text in permissive_files(path):
            if name.endswith(".py"):
                more_code, more_docs = python_items(text)
                code += more_code
                docs += more_docs
            elif name.endswith(("METADATA", "PKG-INFO")):
                head, _, body = text.partition("\n\n")
                summary = re.search(r"^Summary: (.*)$", head, re.M)
                title = re.search(r"^Name: (.*)$", head, re.M)
                if summary and title:
                    pages.append(("summary", title[1], [summary[1]]))
                pages += [("readme", h, s) for h, s in markup_sections(body)]
            elif "readme" in name.lower() or "/doc" in name.lower() or name.endswith((".rst", ".md")):
                pages += [("manual", h, s) for h, s in markup_sections(text)]
    except (tarfile.TarError, zipfile.BadZipFile, OSError, EOFError):
        return []
    spread = lambda rows, n: rows[::max(1, -(-len(rows) // n))]
    return spread(code, MAX_CODE) + spread(docs, MAX_API) + spread(pages, MAX_SECTIONS)


def crate(path):
    folder = Path(path)
    try:
        licence = re.search(r'^license\s*=\s*"([^"]+)"', (folder / "Cargo.toml").read_text(errors="replace"), re.M)
    except OSError:
        return []
    if not licence or not PERMISSIVE.search(licence[1]):
        return []
    out, items = [], []
    for readme in folder.glob("README*"):
        if readme.is_file():
            out += [("readme", h, s) for h, s in markup_sections(readme.read_text(errors="replace")[:80_000])]
    for source in sorted(folder.rglob("src/**/*.rs")):
        text = source.read_text(errors="replace")
        if len(text) > 400_000:
            continue
        module = "\n".join(re.findall(r"^//!\s?(.*)$", text, re.M))
        out += [("manual", h, s) for h, s in markup_sections(module)]
        for found in ITEM.finditer(text):
            whole = re.sub(r"^[ \t]*/// ?", "", found[1], flags=re.M)
            first = clean(whole.split("\n\n")[0])
            if 3 <= len(first.split()) <= 40:
                items.append(("code", first, [(found[1].strip() + "\n" if len(items) % 2 else "") + found[3][:800]]))
                if len(whole) > 250:
                    items += [("api", h or first, s) for h, s in markup_sections(whole)]
    return out[:250] + items[::max(1, -(-len(items) // 250))]
