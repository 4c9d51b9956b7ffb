// Review: what is kept out of prompts, and what was only inferred, one after the other by
// keyboard. Approving makes a memory your word; rejecting forgets it, with a minute to undo.

import { api } from "./api.js";
import { button, h, put } from "./dom.js";
import { about, past } from "./detail.js";
import { attempt, changed, complain, say } from "./desk.js";
import { editForm } from "./edit.js";
import { forget, isGoing } from "./forgetting.js";
import { LongList } from "./list.js";
import { memoryRow } from "./memories.js";
import { plural } from "./words.js";

const KINDS = [["quarantined", "Quarantined", "Suspicious, or seen only in a tool's output: in no prompt until you approve it."], ["inferred", "Inferred", "Extracted from sessions: in prompts, below what was said to be remembered."]];

let kind = "quarantined";

// What speaks against a memory, in the gate's own words.
function suspicions(found, memory) {
  const findings = found.flatMap((suspect) => suspect.findings.map((finding) => [suspect, finding]));
  if (findings.length === 0) {
    return h("p", { class: "notice" }, memory.origin === "tool" ? "Only where it comes from speaks against it: it was seen in a tool's output." : "Nothing in the text speaks against it.");
  }
  return h("section", { class: "against", "aria-label": "What speaks against it" }, h("h3", null, "What speaks against it"), h("ul", null, findings.map(([suspect, finding]) =>
    h("li", null, h("b", null, finding.category.replaceAll("_", " ")), ` in the ${suspect.part}`, suspect.version && ` of version ${suspect.version}`, h("span", { class: "dim" }, ` (${finding.rule})`)))));
}

export class Review {
  constructor(main) {
    this.tabs = h("div", { class: "tabs", role: "group", "aria-label": "What to review" });
    this.hint = h("p", { class: "dim" });
    this.count = h("p", { class: "count" });
    this.detail = h("section", { class: "detail", "aria-label": "The memory to decide about", "aria-live": "polite" });
    this.list = new LongList({
      label: "Memories to review", row: memoryRow,
      load: attempt(async (offset, limit) => {
        const { memories, total } = await api.browse({ trust: kind, all_projects: true, superseded: true, offset, limit });
        return { items: memories, total };
      }),
      counted: (total) => this.counted(total),
      opened: (memory) => this.read(memory, true), moved: (memory) => memory && this.read(memory, false),
    });
    const column = h("section", { class: "column", "aria-labelledby": "review-title" }, h("h1", { id: "review-title" }, "Review"), this.tabs, this.hint, this.count, this.list.element);
    this.element = h("div", { class: "desk" }, column, this.detail);
    put(main, this.element);
    this.turnTo(kind);
  }

  get keys() {
    return {
      j: () => this.list.move(1), k: () => this.list.move(-1), ArrowDown: () => this.list.move(1), ArrowUp: () => this.list.move(-1),
      a: () => this.approve(), x: () => this.reject(), e: () => this.edit(),
      1: () => this.turnTo("quarantined"), 2: () => this.turnTo("inferred"),
      save: () => this.form?.save(),
      Escape: () => (this.form ? this.redraw() : this.element.classList.remove("reading")),
    };
  }

  turnTo(name) {
    kind = name;
    put(this.tabs, KINDS.map(([value, label]) => button(label, () => this.turnTo(value), { "aria-pressed": String(value === kind) })));
    put(this.hint, KINDS.find(([value]) => value === kind)[2]);
    this.element.classList.remove("reading");
    this.list.active = -1;
    this.list.element.scrollTop = 0;
    this.clear();
    this.list.refresh().then(() => this.list.total > 0 && this.list.move(1));
  }

  clear() {
    this.memory = undefined;
    this.form = undefined;
    put(this.detail, h("p", { class: "dim hint" }, h("kbd", null, "a"), " approves, ", h("kbd", null, "x"), " rejects, ", h("kbd", null, "j"), " goes on."));
  }

  counted(total) {
    const told = total === 0 ? "Nothing waits." : `${plural(total, "memory waits", "memories wait")}`;
    put(this.count, told);
    this.list.element.hidden = total === 0;
    if (total === 0) this.clear();
    say(told);
  }

  async read(memory, isReading) {
    if (isReading) this.element.classList.add("reading");
    this.memory = memory;
    this.form = undefined;
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      this.draw(await api.examine(memory.id, this.asking.signal));
    } catch (error) {
      complain(error);
    }
  }

  redraw() {
    if (this.memory) this.read(this.memory, false);
  }

  // A secret is struck out by the server before it comes here.
  draw({ memory, versions, found }) {
    const goes = isGoing(memory.id);
    put(this.detail,
      button("‹ Back", () => this.element.classList.remove("reading"), { class: "back plain" }),
      h("div", { class: "actions", role: "toolbar", "aria-label": "Decide" },
        button("Approve", () => this.approve(), { class: "first", title: "a", disabled: goes }),
        button("Reject", () => this.reject(), { title: "x", disabled: goes }), button("Edit", () => this.edit(), { title: "e", disabled: goes })),
      goes && h("p", { class: "notice" }, "This is being forgotten; u undoes it."),
      h("h2", { class: "said" }, memory.content), suspicions(found, memory), about(memory), past(versions));
  }

  approve = attempt(async () => {
    if (!this.memory || this.form || isGoing(this.memory.id)) return;
    const { refused } = await api.approve([this.memory.id]);
    changed();
    say(refused.length > 0 ? "It holds a secret and cannot be approved: edit the secret out of it, or reject it." : "Approved.");
    await this.goOn();
  });

  reject() {
    if (!this.memory || this.form) return;
    forget(this.memory);
    this.list.move(1);
  }

  edit() {
    if (!this.memory || isGoing(this.memory.id)) return;
    this.form = editForm(this.memory);
    this.form.cancelled(() => this.redraw());
    this.form.saved(() => this.goOn());
    put(this.detail, this.form.element);
    this.form.focus();
  }

  // What was decided leaves the list, and the next one takes its place.
  async goOn() {
    this.form = undefined;
    await this.list.refresh();
    const next = this.list.current();
    if (next) this.read(next, false);
    else this.clear();
  }

  gone() {
    this.goOn();
  }

  close() {
    this.asking?.abort();
    this.list.close();
  }
}
