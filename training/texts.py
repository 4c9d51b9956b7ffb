"""Documents into training groups: texts that belong together, each marked as a query or as a passage.

A group is what one conversation or one manual page gives: its turns or windows of sentences as passages, and
questions, headings and keywords about them as queries.  Groups stay whole in a batch, so that a query meets the
passages that are hardest to tell apart.  In conversations a passage has the span of turns it holds, and a question the
span of the one turn that it asks about; everything else is NOWHERE.
"""
import random
import re

from chat_words import NAMES

QUERY, PASSAGE = 0, 1
NOWHERE = (-1, -1)
WORD = re.compile(r"[A-Za-z][A-Za-z'-]+")
ASKED = re.compile(r"[^.!?\n]{8,160}\?")
GENERIC = re.compile(r"^(description|examples?|synopsis|notes?|see also|name|parameters?|returns?|options|usage|author|copyright|methods|"
                     r"errors|panics|safety|introduction|overview|history|warning|summary|contents|index|features|changes|installation)\W*$", re.I)
STOP = set("""a an the and or but if then so of in on at to for from by with about into over after before is are was were be been am do does did
have has had will would can could should may might must i you he she it we they me him her us them my your his its our their this that these those
there here what which who when where why how not no yes just very really too also than as like get got go going know think want one some any all
more most much many well oh hey hi thanks thank please okay ok yeah sure let make say said see good great nice lot don't didn't i'm it's that's""".split())
ABOUT_PERSON = ["What did {n} say about {k}?", "When did {n} talk about {k}?", "What does {n} think about {k}?", "Where did {n} mention {k}?",
                "Who told {n} about {k}?", "How does {n} feel about {k}?", "Why did {n} bring up {k}?", "Did {n} ever mention {k}?", "What is {n}'s view on {k}?",
                "Which {k} did {n} choose?", "How many {k} does {n} have?", "When did {n} {k}?", "What {k} does {n} like?", "How long has {n} had {k}?"]
ABOUT_SELF = ["What did I say about {k}?", "Remind me what we decided on {k}.", "What was that thing about {k}?", "When did I mention {k}?",
              "What do you remember about {k}?", "Can you find {k}?", "which {k} did I prefer", "what did you recommend for {k}?", "How many {k} did I have?",
              "How long ago did I talk about {k}?", "What was the name of the {k} I mentioned?", "Did I ever tell you about {k}?"]
TECHNICAL = ["how to {k}", "how do I {k}?", "what is {k}", "{k}", "{k} example", "error with {k}", "where is {k} configured?", "python {k}", "why does {k} fail?",
             "what does {k} do", "difference between {k}", "{k} not working"]


def keywords(rng, text):
    """One to four neighbouring content words."""
    words = [w for w in WORD.findall(text) if w.lower() not in STOP and len(w) > 2]
    if not words:
        return None
    n = min(len(words), rng.choice((1, 2, 2, 3, 3, 4)))
    i = rng.randrange(len(words) - n + 1)
    return " ".join(words[i:i + n])


def templated(rng, forms, text, name):
    k = keywords(rng, text)
    return rng.choice(forms).format(k=k, n=name) if k else None


def asked(rng, forms, lines, i, name):
    """A question about line i; it points there only if no other line has all of its keywords."""
    k = keywords(rng, lines[i])
    if not k:
        return None, QUERY
    words = k.lower().split()
    alone = not any(j != i and all(w in line.lower() for w in words) for j, line in enumerate(lines))
    return rng.choice(forms).format(k=k, n=name), QUERY, (i, i) if alone else NOWHERE


def windows(rng, lines, sizes):
    """The lines cut into consecutive windows of random sizes."""
    i = 0
    while i < len(lines):
        n = rng.choice(sizes)
        yield lines[i:i + n]
        i += n


def dialog(rng, doc):
    who, lines = rng.sample(NAMES, 2), doc["s"]
    style = rng.random()
    if style < 0.6:
        said = [f"{who[i % 2]}: {t}" for i, t in enumerate(lines)]
    elif style < 0.75:
        said = [f"{('User', 'Assistant')[i % 2]}: {t}" for i, t in enumerate(lines)]
    else:
        said = lines
    out = [(t, PASSAGE, (i, i)) for i, t in enumerate(said) if len(t) > 3]
    for w in windows(rng, range(len(said)), (2, 2, 3, 4, 6)):
        if rng.random() < 0.35 and len(w) > 1:
            out.append(("\n".join(said[i] for i in w), PASSAGE, (w[0], w[-1])))
    for i, text in enumerate(lines):
        if rng.random() < 0.35:
            out.append(asked(rng, ABOUT_PERSON if style < 0.6 and rng.random() < 0.8 else ABOUT_SELF, lines, i, who[i % 2]))
        if rng.random() < 0.4:
            out += [(q.strip(), QUERY) for q in ASKED.findall(text)[:1]]
        if rng.random() < 0.05:
            out.append((text, QUERY))
    return out


def pages(rng, doc):
    lines, head = doc["s"], doc["h"]
    out = []
    for w in windows(rng, lines, (1, 1, 2, 3, 4, 6, 8, 12)):
        text = " ".join(w)
        if head and rng.random() < 0.3:
            text = head + rng.choice(("\n", ". ", ": ")) + text
        out.append((text, PASSAGE))
        if rng.random() < 0.45:
            forms = rng.choice((TECHNICAL, TECHNICAL, ABOUT_SELF, ABOUT_PERSON))
            out.append((templated(rng, forms, text, rng.choice(NAMES)), QUERY))
        if rng.random() < 0.08:
            out.append((rng.choice(w), QUERY))
    if head and not GENERIC.match(head):
        out.append((head, QUERY))
        if rng.random() < 0.5:
            out.append((rng.choice(TECHNICAL).format(k=head.lower()), QUERY))
    return out


def code(rng, doc):
    first = doc["h"].rstrip(".")
    query = rng.choice((first, first.lower(), "python " + first.lower(), "how to " + first[:1].lower() + first[1:], first.lower() + " in python"))
    out = [(doc["s"][0], PASSAGE), (query, QUERY)]
    if rng.random() < 0.3:
        out.append((keywords(rng, first), QUERY))
    return out


def gloss(rng, doc):
    words, parts = doc["h"], doc["s"]
    word = words.split(", ")[0]
    out = [(rng.choice((f"{words}: {parts[0]}", f"{word} means {parts[0]}", parts[0])), PASSAGE)]
    out += [(x, PASSAGE) for x in parts[1:]]
    out.append((rng.choice((word, "what is " + word, f"What does {word} mean?", "define " + word, parts[0])), QUERY))
    return out


def utterances(rng, doc):
    out = [(x, QUERY) for x in doc["s"]] + [(x, PASSAGE) for x in doc["s"] if rng.random() < 0.6]
    return out + [(doc["h"], QUERY)]


def persona(rng, doc):
    name = rng.choice(NAMES)
    out = [(rng.choice((x, f"{name}: {x}")), PASSAGE) for x in doc["s"]] + [(" ".join(doc["s"]), PASSAGE)]
    return out + [(templated(rng, ABOUT_PERSON, x, name), QUERY) for x in doc["s"] if rng.random() < 0.5]


MAKERS = {"dialog": dialog, "persona": persona, "utterance": utterances, "code": code, "gloss": gloss}
ROUNDS = {"dialog": 4, "persona": 3, "utterance": 2}


def group(doc, seed):
    """[(text, QUERY or PASSAGE, span of turns)] of one document."""
    rng = random.Random(seed)
    seen, out = set(), []
    for text, mark, *span in MAKERS.get(doc["k"], pages)(rng, doc):
        if text and (text, mark) not in seen:
            seen.add((text, mark))
            out.append((text[:1800], mark, span[0] if span else NOWHERE))
    return out
