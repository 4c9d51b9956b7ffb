// What would be put in front of a prompt: the very text, line by line and token by token, what
// each costs, and what did not fit.

import { api } from "./api.js";
import { button, field, h, put } from "./dom.js";
import { attempt, complain, say } from "./desk.js";
import { firstWords, number, plural } from "./words.js";

const AFTER_TYPING = 250;
const MOST_DROPPED = 20;
const CHARS_PER_TOKEN = 4;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;

const asked = { query: "", budget: "" };

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

function lineRow(line, before) {
  return h("tr", { class: line.memory ? "memory" : "frame" },
    h("td", { class: "number" }, number(line.tokens)), h("td", { class: "number dim" }, number(before + line.tokens)),
    h("td", { class: "tokens" }, tokens(line.text)),
    h("td", null, line.memory && h("a", { href: `#/memories/${line.memory}`, "aria-label": `open the memory: ${firstWords(line.text, 40)}` }, "open")));
}

export class Inject {
  constructor(main) {
    this.query = h("textarea", { rows: 3, placeholder: "Fix the flaky deploy test", on: { input: () => this.soon() }, is: { value: asked.query } });
    this.budget = h("input", { type: "number", min: 0, max: 200000, step: 100, placeholder: "5000", on: { input: () => this.soon() }, is: { value: asked.budget } });
    this.answer = h("section", { "aria-label": "What is put in front of it" });
    this.start = h("section", { "aria-label": "At the start of a session" });
    put(main, h("div", { class: "sheet wide" },
      h("h1", null, "What a prompt gets"),
      h("p", { class: "dim" }, "Exactly the block of memory that would stand in front of this prompt here and now. Hooks are stricter: of what they find they give the five they are sure of, and nothing twice in a session. Nothing is sent anywhere, and no use is counted."),
      h("div", { class: "asked" }, field("Prompt", this.query), field("Budget in tokens", this.budget)), this.answer, this.start));
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
    const wish = {};
    if (asked.query.trim()) wish.query = asked.query;
    if (asked.budget !== "") wish.budget_tokens = Number(asked.budget);
    try {
      this.draw(await api.injected(wish, this.asking.signal));
    } catch (error) {
      complain(error);
    }
  }

  draw({ lines, spent, budget_tokens: budget, included, dropped }) {
    let before = 0;
    const rows = lines.map((line) => {
      const row = lineRow(line, before);
      before += line.tokens;
      return row;
    });
    const told = `${plural(included.length, "memory", "memories")}, about ${number(spent)} of ${number(budget)} tokens`;
    say(told);
    put(this.answer,
      h("p", { class: "spent" }, h("b", null, told), h("meter", { min: 0, max: Math.max(1, budget), value: spent, "aria-label": "tokens spent" })),
      lines.length === 0 ? h("p", { class: "notice" }, "Nothing would be put in front of it.") :
        h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": "The text" }, h("table", { class: "block" },
          h("thead", null, h("tr", null, ["tokens", "so far", "text", "memory"].map((name) => h("th", { scope: "col" }, name)))), h("tbody", null, rows))),
      dropped.length > 0 && this.left(dropped));
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
