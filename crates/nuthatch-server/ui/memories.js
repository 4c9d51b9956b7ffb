// Search and browse: what is typed is looked for at once; without a query, everything, newest
// first. The entry that is chosen is read beside the list.

import { api } from "./api.js";
import { button, h, put } from "./dom.js";
import { attempt, complain, say } from "./desk.js";
import { bar, clear, isNarrowed, wanted } from "./filters.js";
import { hitRow } from "./hits.js";
import { isGoing } from "./forgetting.js";
import { LongList, ShortList } from "./list.js";
import { Detail } from "./detail.js";
import { plural, scope, time } from "./words.js";

const AFTER_TYPING = 90;
const AFTER_MOVING = 120;
const MOST_HITS = 50;

// What was typed stays there while other views are open.
let typed = "";
let within = "memories";

export function memoryRow(memory) {
  const goes = isGoing(memory.id);
  return [
    h("span", { class: goes ? "text going" : "text" }, memory.pinned && h("span", { class: "pin", title: "pinned" }, "● "), memory.key && h("b", null, `${memory.key}: `), memory.content.slice(0, 300)),
    h("span", { class: "meta" },
      goes && h("span", { class: "trust quarantined" }, "being forgotten"), memory.superseded_by && h("span", { class: "tag" }, "replaced"),
      h("span", { class: "tag" }, memory.category), h("span", { class: `trust ${memory.trust}` }, memory.trust),
      h("span", null, scope(memory.scope)), time(memory.created_at), memory.used > 0 && h("span", null, `used ${memory.used}×`)),
  ];
}

export class Memories {
  constructor(main, [id]) {
    this.input = h("input", { type: "search", id: "query", placeholder: "Search memories", autocomplete: "off", spellcheck: "false", "aria-keyshortcuts": "/", on: { input: () => this.soon(), keydown: (event) => this.leave(event) }, is: { value: typed } });
    this.count = h("p", { class: "count" });
    this.place = h("div", { class: "place" });
    this.filters = h("div", { class: "bar" });
    this.include = h("select", { on: { change: () => this.turnTo(this.include.value) } }, [["memories", "memories"], ["both", "memories and sessions"], ["sessions", "sessions"]].map(([value, text]) => h("option", { value, selected: value === within }, text)));
    this.detail = new Detail({ changed: () => this.again(), closed: () => this.element.classList.remove("reading") });
    const search = h("search", { class: "query" },
      h("label", { for: "query", class: "unseen" }, "Search memories"), this.input,
      h("label", { class: "field inline" }, h("span", { class: "unseen" }, "Search in"), this.include), button("New", () => this.make(), { title: "A new memory (n)" }));
    const column = h("section", { class: "column", "aria-labelledby": "memories-title" }, h("h1", { id: "memories-title", class: "unseen" }, "Memories"), search, h("details", { class: "narrow", is: { open: isNarrowed() || innerWidth > 700 } }, h("summary", null, "Filters"), this.filters), this.count, this.place);
    this.element = h("div", { class: "desk" }, column, this.detail.element);
    put(main, this.element);
    this.narrow();
    this.look();
    if (id) this.read(id);
  }

  get keys() {
    const on = (action) => () => this.detail.act(action);
    return {
      "/": () => this.input.select() ?? this.input.focus(),
      j: () => this.list?.move(1), k: () => this.list?.move(-1),
      ArrowDown: () => this.list?.move(1), ArrowUp: () => this.list?.move(-1),
      n: () => this.make(), e: on("edit"), p: on("pin"), s: on("replace"), f: on("forget"), w: on("why"),
      save: () => this.detail.save(),
      Escape: (target) => this.escape(target),
    };
  }

  escape(target) {
    if (this.detail.isEditing) return this.detail.cancel();
    if (target === this.input && this.input.value) {
      this.input.value = "";
      return this.look();
    }
    if (this.element.classList.contains("reading")) return this.detail.close();
    return target.blur();
  }

  leave(event) {
    if (event.key !== "ArrowDown" && event.key !== "Enter") return;
    if (this.list?.total > 0) {
      this.list.element.focus();
      if (this.list.active < 0) this.list.move(1);
    }
    event.preventDefault();
  }

  turnTo(value) {
    within = value;
    this.look();
  }

  narrow() {
    bar(() => this.look()).then((filters) => {
      put(this.filters, filters, button("Clear", () => {
        clear();
        this.narrow();
        this.look();
      }, { class: "plain" }));
    }, complain);
  }

  soon() {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.look(), AFTER_TYPING);
  }

  look() {
    clearTimeout(this.timer);
    this.asking?.abort();
    typed = this.input.value;
    return typed.trim() ? this.search(typed.trim()) : this.browse();
  }

  async search(query) {
    this.asking = new AbortController();
    try {
      const answer = await api.browse({ ...wanted(), query, limit: MOST_HITS, include: within }, this.asking.signal);
      performance.mark("answered");
      this.found(query, answer);
      requestAnimationFrame(() => setTimeout(() => performance.measure("painted", "answered")));
    } catch (error) {
      complain(error);
    }
  }

  found(query, { hits, trace }) {
    this.list?.close?.();
    const notes = [...(trace.notes ?? []), trace.pending > 0 && `${plural(trace.pending, "text")} wait to be embedded`].filter(Boolean);
    const told = hits.length === 0 ? "Nothing stored answers that." : `${plural(hits.length, "hit")}, best first`;
    put(this.count, told, notes.map((note) => h("small", null, note)));
    say(`${told} ${query}`);
    this.list = new ShortList({
      label: "What was found", items: hits, row: hitRow,
      opened: (hit) => this.openHit(hit, true), moved: (hit) => this.openHit(hit, false),
    });
    put(this.place, hits.length > 0 && this.list.element);
  }

  browse() {
    this.list?.close?.();
    this.list = new LongList({
      label: "Memories, newest first", row: memoryRow,
      load: attempt(async (offset, limit) => {
        const { memories, total } = await api.browse({ ...wanted(), offset, limit });
        return { items: memories, total };
      }),
      counted: (total) => {
        const told = total === 0 ? (isNarrowed() ? "Nothing passes these filters." : "Nothing is remembered here yet.") : plural(total, "memory", "memories");
        put(this.count, told, total > 0 && ", newest first");
        this.list.element.hidden = total === 0;
        say(told);
      },
      opened: (memory) => this.read(memory.id, true), moved: (memory) => memory && this.preview(memory.id),
    });
    put(this.place, this.list.element);
    this.list.refresh();
  }

  // On a narrow screen reading takes the place of the list, so moving does not read.
  preview(id, hit) {
    if (matchMedia("(max-width: 900px)").matches) return;
    clearTimeout(this.moving);
    this.moving = setTimeout(() => this.detail.show(id, hit), AFTER_MOVING);
  }

  openHit(hit, isOpened) {
    if (hit.kind === "memory") {
      if (isOpened) this.read(hit.id, true, hit);
      else this.preview(hit.id, hit);
    } else if (isOpened) location.hash = `#/sessions/${encodeURIComponent(hit.session_id)}/${hit.seq ?? 0}`;
  }

  read(id, isReading = true, hit = undefined) {
    clearTimeout(this.moving);
    this.element.classList.toggle("reading", isReading);
    this.detail.show(id, hit);
  }

  make() {
    this.element.classList.add("reading");
    this.detail.make();
  }

  again() {
    if (this.input.value.trim()) this.look();
    else this.list?.refresh?.();
    this.narrow();
  }

  gone() {
    if (this.input.value.trim()) this.list?.draw();
    else this.list?.refresh?.();
    this.detail.refresh();
  }

  close() {
    clearTimeout(this.timer);
    clearTimeout(this.moving);
    this.asking?.abort();
    this.list?.close?.();
  }
}
