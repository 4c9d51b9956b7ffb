// Sessions: conversations of every agent, what was said in them, and what was learned from
// each, with the turns that show it.

import { api } from "./api.js";
import { button, facts, h, put } from "./dom.js";
import { attempt, complain, say, stats } from "./desk.js";
import { LongList } from "./list.js";
import { number, plural, scope, time } from "./words.js";

const TURNS = 100;
const MOST_LEARNED = 200;

function sessionRow(session) {
  return [
    h("span", { class: "text" }, session.title ?? session.id),
    h("span", { class: "meta" },
      h("span", { class: "tag" }, session.agent ?? session.channel ?? "unknown agent"),
      session.project && h("span", null, scope(`project:${session.project}`)), session.user && h("span", null, session.user), time(session.last_active_at)),
  ];
}

function turnRow(turn, learned) {
  const from = learned.filter((memory) => memory.source?.turns?.includes(turn.seq));
  return h("li", { id: `turn-${turn.seq}`, class: `turn ${turn.role}`, tabindex: -1 },
    h("p", { class: "meta" }, h("span", { class: "tag" }, turn.role), `turn ${number(turn.seq)} `, time(turn.at)),
    h("p", { class: "said" }, turn.text ?? turn.content ?? ""),
    from.length > 0 && h("ul", { class: "learned" }, from.map((memory) => h("li", null, "learned: ", h("a", { href: `#/memories/${memory.id}` }, memory.content.slice(0, 200))))));
}

export class Sessions {
  constructor(main, [id, at]) {
    this.detail = h("section", { class: "detail", "aria-label": "The chosen session" }, h("p", { class: "dim hint" }, "Choose a session to read it here."));
    this.count = h("p", { class: "count" });
    this.list = new LongList({
      label: "Sessions, last active first", row: sessionRow,
      load: attempt(async (offset, limit) => {
        const [{ sessions }, known] = await Promise.all([api.sessions(offset, limit), stats()]);
        return { items: sessions, total: Math.max(known.sessions, offset + sessions.length) };
      }),
      counted: (total) => {
        put(this.count, total === 0 ? "No sessions are stored. `nuthatch sessions import` takes them in." : plural(total, "session"));
        this.list.element.hidden = total === 0;
      },
      opened: (session) => this.open(session), moved: () => {},
    });
    const column = h("section", { class: "column", "aria-labelledby": "sessions-title" }, h("h1", { id: "sessions-title" }, "Sessions"), this.count, this.list.element);
    this.element = h("div", { class: "desk" }, column, this.detail);
    put(main, this.element);
    this.list.refresh();
    if (id) this.read({ id }, Number(at) || 0);
  }

  get keys() {
    return {
      j: () => this.list.move(1), k: () => this.list.move(-1), ArrowDown: () => this.list.move(1), ArrowUp: () => this.list.move(-1),
      Enter: () => this.list.current() && this.open(this.list.current()),
      Escape: () => this.element.classList.remove("reading"),
    };
  }

  open(session) {
    this.read(session, 0);
  }

  async read(session, at) {
    this.element.classList.add("reading");
    this.turn = (this.turn ?? 0) + 1;
    const { turn } = this;
    try {
      const offset = Math.max(0, at - 5);
      const [{ turns }, learned, known] = await Promise.all([
        api.turns(session.id, offset, TURNS),
        api.browse({ session: session.id, all_projects: true, superseded: true, limit: MOST_LEARNED }),
        session.started_at ? session : this.find(session.id),
      ]);
      if (turn !== this.turn) return;
      this.draw(known, turns, learned, offset);
      const place = at > 0 && document.getElementById(`turn-${at}`);
      place?.focus?.();
      place?.scrollIntoView?.({ block: "center" });
    } catch (error) {
      complain(error);
    }
  }

  // A session that an address names, with what the list knows of it.
  async find(id) {
    const { sessions } = await api.sessions(0, 1000);
    return sessions.find((session) => session.id === id) ?? { id };
  }

  draw(session, turns, learned, offset) {
    const list = h("ol", { class: "turns" }, turns.map((turn) => turnRow(turn, learned.memories)));
    const more = button("More", attempt(async () => {
      const next = await api.turns(session.id, offset + list.children.length, TURNS);
      list.append(...next.turns.map((turn) => turnRow(turn, learned.memories)));
      more.hidden = next.turns.length < TURNS;
      say(`${plural(next.turns.length, "more turn")}`);
    }));
    more.hidden = turns.length < TURNS;
    put(this.detail,
      button("‹ Back", () => this.element.classList.remove("reading"), { class: "back plain" }),
      h("h2", { class: "said" }, session.title ?? "Session"),
      facts([["Agent", session.agent], ["Channel", session.channel], ["With", session.user], ["Project", session.project], ["Began", time(session.started_at)], ["Last active", time(session.last_active_at)], ["Id", h("code", { class: "breaks" }, session.id)]]),
      h("section", { "aria-labelledby": "learned-title" }, h("h3", { id: "learned-title" }, `Learned from it (${number(learned.total)})`),
        h("ul", { class: "learned" }, learned.memories.map((memory) => h("li", null, h("span", { class: `trust ${memory.trust}` }, memory.trust), " ", h("a", { href: `#/memories/${memory.id}` }, memory.content.slice(0, 300)), memory.source?.turns?.length > 0 && h("span", { class: "dim" }, ` turn ${memory.source.turns.join(", ")}`))))),
      h("section", { "aria-labelledby": "turns-title" }, h("h3", { id: "turns-title" }, "What was said"),
        offset > 0 && button("From the beginning", () => this.read(session, 0)), turns.length === 0 ? h("p", { class: "dim" }, "Nothing.") : list, more));
  }

  gone() {}

  close() {
    this.turn = -1;
    this.list.close();
  }
}
