// What would be put in front of a prompt: the very text, line by line and token by token, what
// each costs, why it is there, and what was left out and why.

import { api } from "./api.js";
import { button, field, h, put, select } from "./dom.js";
import { attempt, complain, say } from "./desk.js";
import { why } from "./hits.js";
import { firstWords, number, plural } from "./words.js";

const AFTER_TYPING = 250;
const MOST_DROPPED = 20;
const CHARS_PER_TOKEN = 4;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;

const asked = { query: "", budget: "", by: "hook" };

const ASKERS = [["hook", "the hook of an agent"], ["preamble", "an agent that asks for its context"]];
const REASONS = {
  sure: "sure: the prompt is about it", pinned: "pinned", restriction: "a restriction", room: "there was room",
  unsure: "not sure that the prompt is about it", enough: "enough others are nearer", given: "the session has it already", budget: "did not fit the budget",
};

// A line in the pieces that the estimate counts: a character of a script without spaces each,
// else four at a time.
function tokens(text) {
  const pieces = [];
  let piece = "";
  for (const letter of text) {
    if (UNSPACED.test(letter)) {
      if (piece) pieces.push(piece);
      pieces.push(letter);
      piece = "";
    } else if ([...piece, letter].length === CHARS_PER_TOKEN) {
      pieces.push(piece + letter);
      piece = "";
    } else piece += letter;
  }
  if (piece) pieces.push(piece);
  return pieces.map((one, index) => h("span", { class: index % 2 === 0 ? "even" : "odd" }, one));
}

// Why a memory is where it is: the reason, how near it is, and what found it.
function reason(thought) {
  if (!thought) return null;
  return [h("span", { class: "reason" }, REASONS[thought.because] ?? thought.because),
    thought.score !== undefined && h("span", { class: "score", title: "score; 0.5 is sure" }, thought.score.toFixed(2)),
    h("small", { class: "dim" }, why({ lanes: {}, ...thought }))];
}

function lineRow(line, before, thought) {
  return h("tr", { class: line.memory ? "memory" : "frame" },
    h("td", { class: "number" }, number(line.tokens)), h("td", { class: "number dim" }, number(before + line.tokens)),
    h("td", null, h("div", { class: "tokens" }, tokens(line.text)),
      line.memory && h("div", { class: "reasons" }, reason(thought), h("a", { href: `#/memories/${line.memory}`, "aria-label": `open the memory: ${firstWords(line.text, 40)}` }, "open"))));
}

export class Inject {
  constructor(main) {
    this.query = h("textarea", { rows: 3, placeholder: "Fix the flaky deploy test", on: { input: () => this.soon() }, is: { value: asked.query } });
    this.budget = h("input", { type: "number", min: 0, max: 200000, step: 100, placeholder: "5000", on: { input: () => this.soon() }, is: { value: asked.budget } });
    this.answer = h("section", { "aria-label": "What is put in front of it" });
    this.start = h("section", { "aria-label": "At the start of a session" });
    this.told = h("p", { class: "dim" });
    put(main, h("div", { class: "sheet wide" },
      h("h1", null, "What a prompt gets"), this.told,
      h("div", { class: "asked" }, field("Prompt", this.query),
        h("div", { class: "stack" }, select("Who asks", ASKERS, asked.by, (value) => {
          asked.by = value;
          this.look();
        }), field("Budget in tokens", this.budget))),
      this.answer, this.start));
    this.look();
    this.begin();
  }

  get keys() {
    return { "/": () => this.query.focus(), Escape: (target) => target.blur() };
  }

  // The summary that a session begins with, where there is one.
  async begin() {
    try {
      const { text, tokens: cost } = await api.summary();
      put(this.start, h("h2", null, `At the start of a session: about ${number(cost)} tokens`),
        text ? h("div", { class: "scrolls tokens", tabindex: 0, role: "region", "aria-label": "The summary" }, tokens(text)) : h("p", { class: "dim" }, "Nothing: this project has no summary yet."));
    } catch {
      // A server that learns nothing by itself has no summary either.
      put(this.start);
    }
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), AFTER_TYPING);
  }

  async look() {
    Object.assign(asked, { query: this.query.value, budget: this.budget.value });
    this.asking?.abort();
    this.asking = new AbortController();
    const isHook = asked.by === "hook";
    const isStart = !asked.query.trim();
    put(this.told, isHook ? `Exactly the block of memory that the hook of an agent would say here and now, ${isStart ? "as a session begins" : "to a session that was given nothing yet: of what it finds, the five it is sure of"}.` : "Exactly the block of memory that an agent gets here and now if it asks for its context: as much as fits.", " Nothing is sent anywhere, and no use is counted.");
    const wish = {};
    if (!isStart) wish[isHook ? "prompt" : "query"] = asked.query;
    if (asked.budget !== "") wish.budget_tokens = Number(asked.budget);
    try {
      const answer = await (isHook ? api.reminded : api.injected)(wish, this.asking.signal);
      this.budget.placeholder = String(answer.budget_tokens);
      this.draw(answer);
    } catch (error) {
      complain(error);
    }
  }

  draw({ lines, spent, budget_tokens: budget, included, dropped, considered }) {
    let before = 0;
    const thoughts = new Map((considered ?? []).map((thought) => [thought.id, thought]));
    const rows = lines.map((line) => {
      const row = lineRow(line, before, thoughts.get(line.memory));
      before += line.tokens;
      return row;
    });
    const told = `${plural(included.length, "memory", "memories")}, about ${number(spent)} of ${number(budget)} tokens`;
    say(told);
    put(this.answer,
      h("p", { class: "spent" }, h("b", null, told), h("meter", { min: 0, max: Math.max(1, budget), value: spent, "aria-label": "tokens spent" })),
      lines.length === 0 ? h("p", { class: "notice" }, "Nothing would be put in front of it.") :
        h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "The text" }, h("table", { class: "block" },
          h("thead", null, h("tr", null, ["tokens", "so far", considered ? "text, and why it is there" : "text"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", null, rows))),
      considered ? this.out(considered.filter((thought) => !included.includes(thought.id))) : dropped.length > 0 && this.left(dropped));
  }

  // What came to mind and is not in the block.
  out(thoughts) {
    if (thoughts.length === 0) return null;
    return h("section", { class: "left", "aria-label": "What was left out" }, h("h2", null, `Left out (${number(thoughts.length)})`),
      h("ul", { class: "dropped" }, thoughts.map((thought) => h("li", null,
        h("a", { href: `#/memories/${thought.id}` }, firstWords(thought.content, 120)), h("div", { class: "reasons" }, reason(thought))))));
  }

  left(dropped) {
    const list = h("ul", { class: "dropped" });
    const show = attempt(async () => {
      const shown = await Promise.all(dropped.slice(0, MOST_DROPPED).map((id) => api.show(id)));
      put(list, shown.map(({ memory }) => h("li", null, h("a", { href: `#/memories/${memory.id}` }, firstWords(memory.content, 120)))),
        dropped.length > MOST_DROPPED && h("li", { class: "dim" }, `and ${number(dropped.length - MOST_DROPPED)} more`));
    });
    return h("section", null, h("h2", null, `Did not fit (${number(dropped.length)})`), button("Show them", show), list);
  }

  close() {
    clearTimeout(this.timer);
    this.asking?.abort();
  }
}
