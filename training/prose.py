"""Text out of markup: sentences, sections of HTML, Markdown and reStructuredText."""
import re
from pathlib import Path

SPACE = re.compile(r"\s+")
BREAK = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[A-Z\"'(0-9])")
LINK = re.compile(r"!\[[^\]]*\]\([^)]*\)|<[^>\n]{1,200}>|https?://\S+")
ROLE = re.compile(r":[a-z:+-]+:`~?\.?([^`<]+)(?:<[^`]*>)?`")
RULE = re.compile(r"^([=\-~^\"'#*+.:_`])\1{2,}\s*$")
MAX_LINES = 48


def clean(text):
    return SPACE.sub(" ", text).strip()


def sentences(text):
    """Sentences of 3 to 600 characters; what is longer is cut."""
    out = []
    for s in BREAK.split(clean(text)):
        if len(s) > 600:
            out += [s[i:i + 500] for i in range(0, min(len(s), 2500), 500)]
        elif len(s) >= 3:
            out.append(s)
    return out


def sections_of(blocks):
    """[(is heading, text)] -> [(heading, sentences)], long sections cut into several."""
    heading, buffer, out = "", [], []
    for is_heading, text in [*blocks, (True, "")]:
        if not is_heading:
            buffer += sentences(text)
            continue
        buffer = [s for s in buffer if re.search(r"[A-Za-z]{3}", s)]
        for i in range(0, len(buffer), MAX_LINES):
            part = buffer[i:i + MAX_LINES]
            if sum(map(len, part)) >= 40:
                out.append((heading, part))
        heading, buffer = text, []
    return out


def html_sections(path):
    from lxml import html
    try:
        tree = html.fromstring(Path(path).read_bytes())
    except Exception:  # a page that lxml refuses is no loss
        return []
    for element in tree.xpath("//script|//style|//nav|//header|//footer|//div[contains(@class,'nav') or contains(@class,'sidebar')"
                              " or contains(@class,'related') or contains(@class,'toc')]|//a[contains(@class,'headerlink')]"):
        if element.getparent() is not None:
            element.drop_tree()
    blocks = []
    for element in tree.iter("h1", "h2", "h3", "h4", "h5", "p", "dt", "dd", "li", "pre"):
        if element.tag in ("dd", "li") and element.find(".//p") is not None:
            continue
        text = clean(element.text_content()).replace("\u00b6", "")
        if not text:
            continue
        if element.tag[0] == "h" and len(element.tag) == 2:
            blocks.append((True, re.sub(r"^[\d.A-Z]*\d[\d.]*\s+", "", text)[:200]))
        else:
            blocks.append((False, text[:1500]))
    return sections_of(blocks)


def markup_sections(text):
    """Markdown or reStructuredText: headings by `#` or by an underline."""
    text = re.sub(r"```.*?```", " ", text, flags=re.S)
    text = LINK.sub(" ", re.sub(r"\[([^\]\n]+)\]\([^)\n]*\)", r"\1", ROLE.sub(r"\1", text)))
    lines, blocks, paragraph = text.split("\n"), [], []

    def close():
        if paragraph:
            blocks.append((False, re.sub(r"[`*|]{1,3}", "", " ".join(paragraph))))
            paragraph.clear()
    for i, line in enumerate(lines):
        after = lines[i + 1] if i + 1 < len(lines) else ""
        mark = re.match(r"#{1,5}\s+(.*)", line)
        if mark or (line.strip() and RULE.match(after) and len(after.strip()) >= 3 and not RULE.match(line)):
            close()
            blocks.append((True, re.sub(r"[`*#]", "", mark[1] if mark else line).strip()[:200]))
        elif not line.strip():
            close()
        elif not RULE.match(line) and not line.startswith(("..", "|", "[!", "    ", "\t", ":", "+-", ">>>")):
            paragraph.append(line.strip())
    close()
    return sections_of(blocks)
