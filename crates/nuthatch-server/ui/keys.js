// The keyboard: one table of shortcuts, shown by `?`. While somebody types, only Escape and
// combinations with Control count.

import { button, byId, h, put } from "./dom.js";

const TABLE = [
  ["Everywhere", [
    ["/", "search"],
    ["g m", "memories"], ["g r", "review"], ["g s", "sessions"], ["g j", "jobs and spend"],
    ["g p", "what a prompt gets"], ["g o", "overview"],
    ["u", "undo the last forgetting"],
    ["?", "this list"],
    ["Esc", "leave a field, close, go back"],
  ]],
  ["In a list", [
    ["j, ↓", "next"], ["k, ↑", "previous"],
    ["Home, End", "first, last"], ["PgUp, PgDn", "a screen up, down"],
    ["Enter", "open"],
  ]],
  ["On a memory", [
    ["e", "edit"], ["p", "pin or unpin"], ["s", "replace by another"],
    ["f", "forget; a minute to undo"], ["n", "a new one"],
    ["w", "why it was found"],
    ["Ctrl Enter", "save what is being edited"],
  ]],
  ["In review", [
    ["a", "approve: it counts as your word"], ["x", "reject: forget it"],
    ["1", "quarantined"], ["2", "inferred"],
  ]],
];

const VIEWS = { m: "memories", r: "review", s: "sessions", j: "jobs", p: "prompt", o: "overview" };

let ofView = {};
let waiting = false;
let always = {};

// The keys of the view that is open.
export function bind(keys) {
  ofView = keys;
}

// Those that hold in every view.
export function bindAlways(keys) {
  always = keys;
}

export function showKeys() {
  const dialog = byId("keys");
  const groups = TABLE.map(([title, keys]) =>
    h("section", null, h("h3", null, title), h("dl", { class: "shortcuts" }, keys.map(([key, what]) =>
      h("div", null, h("dt", null, key.split(/,? /).map((part) => h("kbd", null, part))), h("dd", null, what))))));
  put(dialog, h("h2", { id: "keys-title" }, "Keyboard shortcuts"), h("div", { class: "groups" }, groups),
    button("Close", () => dialog.close(), { class: "first" }));
  dialog.showModal();
}

function isTyping(target) {
  return target.matches("input:not([type=checkbox]), textarea, select, [contenteditable]");
}

function pressed(event) {
  if (byId("keys").open || event.defaultPrevented) return;
  const { key } = event;
  if (key === "Escape") return run(ofView.Escape, event, event.target);
  if (key === "Enter" && (event.ctrlKey || event.metaKey)) return run(ofView.save, event);
  if (event.ctrlKey || event.metaKey || event.altKey || isTyping(event.target)) return undefined;
  if (waiting) {
    waiting = false;
    if (VIEWS[key]) location.hash = `#/${VIEWS[key]}`;
    return event.preventDefault();
  }
  if (key === "g") {
    waiting = true;
    setTimeout(() => (waiting = false), 1500);
    return event.preventDefault();
  }
  if (key === "?") return run(showKeys, event);
  // A control that has the focus keeps the keys that work it.
  if (event.target.closest("button, summary, a") && (key === "Enter" || key === " ")) return undefined;
  return run(ofView[key] ?? always[key], event);
}

function run(action, event, target) {
  if (!action) return;
  if (action(target) !== false) event.preventDefault();
}

export function listen() {
  document.addEventListener("keydown", pressed);
}
