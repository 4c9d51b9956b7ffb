// Lists that are worked with the keyboard, the mouse and a screen reader alike: one listbox
// that keeps the focus and names its active entry. `LongList` holds any number of entries and
// draws only those that can be seen; `ShortList` draws all.

import { h, put } from "./dom.js";

const PAGE = 100;
const BEYOND = 6;
const ROW = 58;

let lists = 0;

class Choices {
  constructor({ label, opened, moved }) {
    lists += 1;
    this.name = `list-${lists}`;
    this.opened = opened;
    this.moved = moved ?? (() => {});
    this.active = -1;
    this.total = 0;
    this.body = h("div", { role: "presentation", class: "rows" });
    this.element = h("div", {
      role: "listbox", tabindex: 0, "aria-label": label, class: "list", id: this.name,
      on: { keydown: (event) => this.pressed(event), click: (event) => this.clicked(event) },
    }, this.body);
  }

  entry(index, content, attributes) {
    return h("div", {
      role: "option", id: `${this.name}-${index}`, "data-index": index, class: "row",
      "aria-selected": String(index === this.active), "aria-posinset": index + 1, "aria-setsize": this.total, ...attributes,
    }, content);
  }

  pressed(event) {
    const screen = Math.max(1, Math.floor(this.element.clientHeight / ROW) - 1);
    const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: screen, PageUp: -screen, Home: -Infinity, End: Infinity };
    if (event.key === "Enter" && this.active >= 0) this.open(this.active);
    else if (event.key in steps && !event.ctrlKey && !event.metaKey) this.move(steps[event.key]);
    else return;
    event.preventDefault();
  }

  clicked(event) {
    const row = event.target.closest("[data-index]");
    if (!row || !this.element.contains(row)) return;
    this.choose(Number(row.dataset.index));
    this.open(this.active);
  }

  move(step) {
    if (this.total === 0) return;
    this.choose(Math.min(this.total - 1, Math.max(0, this.active + step)));
    this.moved(this.item(this.active), this.active);
  }

  choose(index) {
    this.active = index;
    this.reveal(index);
    this.draw();
    if (index >= 0) this.element.setAttribute("aria-activedescendant", `${this.name}-${index}`);
    else this.element.removeAttribute("aria-activedescendant");
  }

  open(index) {
    const item = this.item(index);
    if (item) this.opened(item, index);
  }

  current() {
    return this.active >= 0 ? this.item(this.active) : undefined;
  }
}

// Some entries, all there.
export class ShortList extends Choices {
  constructor(options) {
    super(options);
    this.items = options.items;
    this.row = options.row;
    this.total = this.items.length;
    this.draw();
  }

  item(index) {
    return this.items[index];
  }

  draw() {
    put(this.body, this.items.map((item, index) => this.entry(index, this.row(item, index))));
  }

  reveal(index) {
    this.body.children[index]?.scrollIntoView({ block: "nearest" });
  }
}

// Any number of entries, fetched a page at a time.
export class LongList extends Choices {
  constructor(options) {
    super(options);
    this.load = options.load;
    this.row = options.row;
    this.counted = options.counted ?? (() => {});
    this.element.classList.add("long");
    this.element.addEventListener("scroll", () => this.soon());
    this.watch = new ResizeObserver(() => this.soon());
    this.watch.observe(this.element);
    this.pages = new Map();
    this.wanted = new Set();
    this.turn = 0;
  }

  // Asks again for everything that can be seen.
  async refresh() {
    this.turn += 1;
    this.wanted.clear();
    const first = Math.floor(this.element.scrollTop / ROW / PAGE);
    await this.fetchPage(first, true);
  }

  close() {
    this.turn += 1;
    this.watch.disconnect();
  }

  item(index) {
    return this.pages.get(Math.floor(index / PAGE))?.[index % PAGE];
  }

  async fetchPage(page, isFresh) {
    if (this.wanted.has(page)) return;
    this.wanted.add(page);
    const { turn } = this;
    const answer = await this.load(page * PAGE, PAGE);
    if (turn !== this.turn || !answer) return;
    if (isFresh) this.pages.clear();
    this.pages.set(page, answer.items);
    if (this.total !== answer.total || isFresh) {
      this.total = answer.total;
      this.counted(this.total);
    }
    if (this.active >= this.total) this.active = this.total - 1;
    this.body.style.setProperty("height", `${this.total * ROW}px`);
    this.draw();
  }

  soon() {
    this.drawing ??= requestAnimationFrame(() => {
      this.drawing = undefined;
      this.draw();
    });
  }

  draw() {
    const top = Math.floor(this.element.scrollTop / ROW);
    const seen = Math.ceil(this.element.clientHeight / ROW);
    const from = Math.max(0, top - BEYOND);
    const to = Math.min(this.total, top + seen + BEYOND);
    const rows = [];
    for (let index = from; index < to; index += 1) {
      const item = this.item(index);
      if (!item) this.fetchPage(Math.floor(index / PAGE)).catch(() => {});
      const row = this.entry(index, item ? this.row(item, index) : h("span", { class: "dim" }, "…"));
      row.style.setProperty("top", `${index * ROW}px`);
      rows.push(row);
    }
    put(this.body, rows);
  }

  reveal(index) {
    const top = index * ROW;
    const view = this.element;
    if (top < view.scrollTop) view.scrollTop = top;
    else if (top + ROW > view.scrollTop + view.clientHeight) view.scrollTop = top + ROW - view.clientHeight;
  }
}
