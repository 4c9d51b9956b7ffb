// One memory: what it says, where it comes from, what it said before, and what can be done
// with it. Forms are in `edit.js`.

import { api } from "./api.js";
import { button, facts, h, put } from "./dom.js";
import { attempt, changed, complain, say } from "./desk.js";
import { editForm, newForm, replaceForm } from "./edit.js";
import { explained } from "./hits.js";
import { forget, isGoing, undo } from "./forgetting.js";
import { moment, scope, time } from "./words.js";

export function origin({ source, session_id: session }) {
  const from = source?.session ?? session;
  const turns = source?.turns ?? [];
  const address = from && `#/sessions/${encodeURIComponent(from)}/${turns[0] ?? 0}`;
  return [
    from && h("a", { href: address }, `session ${from.slice(0, 12)}${turns.length > 0 ? `, turn ${turns.join(", ")}` : ""}`),
    source?.place && h("span", { class: "breaks" }, ` ${source.place}`),
  ].filter(Boolean);
}

// What is known of a memory besides its text.
export function about(memory) {
  const from = origin(memory);
  const metadata = Object.entries(memory.metadata ?? {});
  return facts([
    ["Key", memory.key], ["Category", memory.category], ["Scope", h("span", { title: memory.scope }, scope(memory.scope))],
    ["Trust", h("span", { class: `trust ${memory.trust}` }, memory.trust)], ["Said by", memory.origin], ["From", from.length > 0 ? from : null],
    ["Stored", time(memory.created_at)], ["Changed", memory.updated_at === memory.created_at ? null : time(memory.updated_at)],
    ["Used", memory.used > 0 ? [`${memory.used}×, `, memory.last_used_at && time(memory.last_used_at)] : "never"],
    ["Importance", memory.importance === 0.5 ? null : String(memory.importance)],
    ["Id", h("code", { class: "breaks" }, memory.id)],
    ...metadata.map(([name, value]) => [h("span", { class: "dim" }, name), value]),
  ]);
}

export function past(versions) {
  if (!versions?.length) return null;
  const older = [...versions].reverse().map((version) =>
    h("li", null, h("p", { class: "said" }, version.content), h("p", { class: "meta" }, `version ${version.number}, until `, h("time", { datetime: version.replaced_at }, moment(version.replaced_at)))));
  return h("details", { class: "past" }, h("summary", null, `What it said before (${versions.length})`), h("ol", null, older));
}

export class Detail {
  constructor({ changed: whenChanged, closed }) {
    this.whenChanged = whenChanged;
    this.closed = closed ?? (() => {});
    this.element = h("section", { class: "detail", "aria-label": "The chosen memory" });
    this.empty();
  }

  get isEditing() {
    return this.form !== undefined;
  }

  empty() {
    this.memory = undefined;
    this.form = undefined;
    put(this.element, h("p", { class: "dim hint" }, "Choose a memory to read it here. ", h("kbd", null, "?"), " shows the keys."));
  }

  close() {
    this.form = undefined;
    this.closed();
  }

  async show(id, hit) {
    this.asking?.abort();
    this.asking = new AbortController();
    try {
      const shown = await api.show(id, this.asking.signal);
      this.hit = hit;
      this.draw(shown);
    } catch (error) {
      if (error.status === 404) this.empty();
      else complain(error);
    }
  }

  refresh() {
    if (this.memory && !this.isEditing) this.show(this.memory.id, this.hit);
  }

  draw({ memory, versions }) {
    this.memory = memory;
    this.form = undefined;
    const goes = isGoing(memory.id);
    const act = (label, action, title) => button(label, () => this.act(action), { title, disabled: goes });
    put(this.element,
      button("‹ Back", () => this.close(), { class: "back plain" }),
      h("div", { class: "actions", role: "toolbar", "aria-label": "What to do with it" },
        act("Edit", "edit", "e"), act(memory.pinned ? "Unpin" : "Pin", "pin", "p"), act("Replace", "replace", "s"),
        memory.trust !== "confirmed" && act("Approve", "approve", "It counts as your word"),
        goes ? button("Undo", () => undo(memory.id), { class: "first" }) : act("Forget", "forget", "f")),
      goes && h("p", { class: "notice" }, "This is being forgotten. Until the minute is over nothing is lost."),
      memory.superseded_by && h("p", { class: "notice" }, "Replaced by ", h("a", { href: `#/memories/${memory.superseded_by}` }, "another memory"), ". ", button("Bring back", () => this.act("restore"))),
      h("h2", { class: "said" }, memory.pinned && h("span", { class: "pin", title: "pinned" }, "● "), memory.content),
      about(memory), this.hit?.id === memory.id && explained(this.hit), past(versions));
  }

  // Does what a key or a button asks for.
  act(action) {
    const { memory } = this;
    if (!memory || this.isEditing || (isGoing(memory.id) && action !== "why")) return;
    if (action === "why") this.element.querySelector(".why")?.scrollIntoView();
    else if (action === "forget") forget(memory);
    else if (action === "edit") this.open(editForm(memory));
    else if (action === "replace") this.open(replaceForm(memory));
    else this.run(action, memory);
  }

  run = attempt(async (action, memory) => {
    if (action === "pin") {
      await api.edit(memory.id, { pinned: !memory.pinned });
      say(memory.pinned ? "Unpinned." : "Pinned.");
    } else if (action === "approve") {
      const { refused } = await api.approve([memory.id]);
      say(refused.length > 0 ? "It holds a secret and cannot be approved." : "Approved.");
    } else if (action === "restore") {
      await api.supersede(memory.id);
      say("It is current again.");
    }
    this.done(memory.id);
  });

  make() {
    this.open(newForm());
  }

  open(form) {
    this.form = form;
    form.cancelled(() => this.cancel());
    form.saved((id) => this.done(id));
    put(this.element, button("‹ Back", () => this.cancel(), { class: "back plain" }), form.element);
    form.focus();
  }

  save() {
    return this.form?.save();
  }

  cancel() {
    const { memory } = this;
    this.form = undefined;
    if (memory) this.show(memory.id, this.hit);
    else {
      this.empty();
      this.closed();
    }
  }

  done(id) {
    this.form = undefined;
    changed();
    this.show(id, this.hit);
    this.whenChanged();
  }
}
