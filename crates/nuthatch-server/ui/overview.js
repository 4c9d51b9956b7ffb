// Overview: how memory grows and is used, what is in the store, and whether it is sound.

import { api } from "./api.js";
import { facts, h, put, select } from "./dom.js";
import { complain, say, stats } from "./desk.js";
import { health } from "./health.js";
import { bars, line, shares } from "./plot.js";
import { bytes, number, plural, scope } from "./words.js";

let days = "90";
let where = "*";

export class Overview {
  constructor(main) {
    this.plots = h("div", { class: "plots" }, h("p", { class: "dim" }, "Counting…"));
    this.store = h("div");
    const again = (change) => (value) => {
      change(value);
      this.grow();
    };
    put(main, h("div", { class: "sheet wide" },
      h("h1", null, "Overview"), this.store,
      h("div", { class: "filters", role: "group", "aria-label": "What is counted" },
        select("Days", [["30", "30 days"], ["90", "90 days"], ["365", "a year"]], days, again((value) => (days = value))),
        select("Scope", [["*", "every project"], ["", "here"]], where, again((value) => (where = value)))),
      this.plots, health()));
    this.describe();
    this.grow();
  }

  get keys() {
    return {};
  }

  async describe() {
    try {
      const known = await stats();
      const vectors = known.vectors?.[0];
      put(this.store, facts([
        ["Memories", number(known.memories)], ["Old versions", number(known.versions)], ["Sessions", number(known.sessions)], ["Turns", number(known.turns)],
        ["On disk", bytes(known.bytes)], ["Store", h("code", { class: "breaks" }, known.store.url)], ["Embedding model", known.model?.name ?? "none: words alone"],
        ["Waiting to be embedded", vectors ? number(vectors.pending) : null],
      ]));
    } catch (error) {
      complain(error);
    }
  }

  async grow() {
    const wish = { days, ...(where === "*" ? { all_projects: true } : {}) };
    try {
      const [grown, known] = await Promise.all([api.growth(wish), stats()]);
      this.draw(grown, known);
    } catch (error) {
      complain(error);
    }
  }

  draw(grown, known) {
    const stored = grown.days.reduce((sum, day) => sum + day.stored, 0);
    const used = grown.days.reduce((sum, day) => sum + day.used, 0);
    say(`${plural(grown.memories, "memory", "memories")}, ${number(stored)} stored in ${days} days.`);
    put(this.plots,
      line("Memories held", `${number(grown.memories)} now`, grown.days, "held"),
      bars("Stored", `${number(stored)} in ${grown.days.length} days`, grown.days, "stored"),
      bars("Last used", `${number(used)} in ${grown.days.length} days; ${plural(grown.uses, "use")} in all`, grown.days, "used"),
      h("div", { class: "grid" },
        shares("By trust", Object.entries(grown.trust)), shares("By origin", Object.entries(grown.origins)),
        shares("By category", known.categories), shares("By scope", known.scopes.map((usage) => [usage.scope, usage.entries]), scope),
        shares("Sessions by agent", Object.entries(grown.agents))));
  }

  gone() {
    this.grow();
  }

  close() {}
}
