"""Made-up chats: people telling each other what happened, users and assistants, and the questions one asks about it later.

Everything here is composed from the lists of `chat_words.py` with a seeded generator; no text of others is in it.
`make(rng)` gives one group: [(text, QUERY or PASSAGE, span of turns)], a question with the turn that answers it.
"""
import re

from chat_words import (ASSISTANT_CLOSERS, ASSISTANT_OPENERS, CHATTER, FACTS, NAMES, REACTIONS, SLOTS, TIPS, TOPIC_ASKS,
                        TOPIC_QUESTIONS, WHENS)
from texts import PASSAGE, QUERY

SLOT = re.compile(r"\{(\w+)\}")
PAIRS = [(" {n}'s ", " my "), ("did {n} ", "did I "), ("does {n} ", "do I "), ("is {n} ", "am I "), ("was {n} ", "was I "),
         ("has {n} ", "have I "), ("had {n} ", "had I "), ("can {n} ", "can I "), ("will {n} ", "will I "), ("would {n} ", "would I "),
         (" {n} ", " I "), (" {n}?", " me?")]


def to_first_person(question):
    """'When did {n} visit …' -> 'When did I visit …'; None where a rule is missing."""
    for old, new in PAIRS:
        question = question.replace(old, new)
    return None if "{n}" in question else question


def fill(rng, template, values, name):
    def one(found):
        slot = found[1]
        if slot == "n":
            return name
        if slot == "when":
            return values.setdefault("when", when(rng))
        if slot not in values:
            values[slot] = rng.choice(SLOTS[slot.rstrip("23")])
        return values[slot]
    return SLOT.sub(one, template)


def when(rng):
    text = rng.choice(WHENS)
    text = text.replace("#d", str(rng.randint(1, 28))).replace("#k", rng.choice(("two", "three", "four", "five", "six")))
    return text.replace("#m", rng.choice(SLOTS["month"])).replace("#w", rng.choice(SLOTS["weekday"])).replace("#y", str(rng.randint(2018, 2026)))


def sentence_case(text):
    return text[:1].upper() + text[1:]


def told(rng, name, fact):
    """One fact as a turn and the questions about it: (turn, third person, first person)."""
    statements, questions = fact
    values = {}
    turn = sentence_case(fill(rng, rng.choice(statements), values, name))
    if rng.random() < 0.5:
        turn = rng.choice(REACTIONS) + " " + turn
    if rng.random() < 0.5:
        turn += " " + fill(rng, rng.choice(CHATTER), {}, name)
    third = [fill(rng, q, dict(values), name).replace(" my ", " their ") for q in questions]
    first = [fill(rng, q, dict(values), name) for q in filter(None, map(to_first_person, questions))]
    return turn, third, first


def people(rng):
    """Two people chat: turns carry the speaker's name, questions name the person."""
    who = rng.sample(NAMES, 2)
    passages, queries = [], []
    for i, fact in enumerate(rng.sample(FACTS, rng.randint(5, 12))):
        name = who[i % 2]
        turn, third, _ = told(rng, name, fact)
        mark = rng.choice(("{}: {}", "{}: {}", "{} says: {}", "[{}] {}")) if rng.random() < 0.85 else "{1}"
        queries += [(q, len(passages)) for q in rng.sample(third, min(2, len(third)))]
        passages.append(mark.format(name, turn))
        if rng.random() < 0.35:
            passages.append(f"{who[1 - i % 2]}: {rng.choice(REACTIONS)} {fill(rng, rng.choice(CHATTER), {}, name)}")
    return passages, queries


def advice(rng, topic):
    tips = rng.sample(TIPS[topic], rng.randint(3, len(TIPS[topic])))
    style = rng.randrange(4)
    if style == 0:
        body = "\n".join(f"{i + 1}. {t}" for i, t in enumerate(tips))
    elif style == 1:
        body = "\n".join(f"* {t}" for t in tips)
    elif style == 2:
        body = "\n".join(f"{i + 1}. **{' '.join(t.split()[:3]).strip(',.')}**: {t}" for i, t in enumerate(tips))
    else:
        body = " ".join(tips)
    opener = rng.choice(ASSISTANT_OPENERS).format(topic=topic)
    return f"{opener}\n\n{body}\n\n{rng.choice(ASSISTANT_CLOSERS)}"


def assistant(rng):
    """A user talks to an assistant and mentions facts on the side; questions are asked in the first person."""
    passages, queries = [], []
    topics = rng.sample(sorted(TIPS), rng.randint(1, 3))
    for topic, fact in zip(topics, rng.sample(FACTS, len(topics))):
        turn, _, first = told(rng, "I", fact)
        ask = rng.choice(TOPIC_ASKS).format(topic=topic)
        user = rng.choice((f"{ask} By the way, {turn[0].lower() + turn[1:] if not turn.startswith('I') else turn}", f"{turn} {ask}", f"{ask} {turn}"))
        queries += [(q, len(passages)) for q in rng.sample(first, min(2, len(first)))]
        queries.append((rng.choice(TOPIC_QUESTIONS).format(topic=topic), len(passages) + 1))
        passages += [user, advice(rng, topic)]
    return passages, queries


def make(rng):
    passages, queries = people(rng) if rng.random() < 0.6 else assistant(rng)
    return [(t, PASSAGE, (i, i)) for i, t in enumerate(passages)] + [(t, QUERY, (i, i)) for t, i in queries]
