// Forgetting, with a minute to think again.
//
// The server is told when the minute is over, and not before: until then nothing is lost. The
// wish itself is kept in this browser (ids and times, nothing of what a memory says), so that
// a tab that is closed loses neither the memory nor the wish: whoever opens the page again
// finds it waiting, with at least ten seconds left.

import { api } from "./api.js";
import { button, byId, h, put } from "./dom.js";
import { changed, complain, say } from "./desk.js";
import { firstWords, plural } from "./words.js";

const KEPT = "nuthatch-forgetting";
const MINUTE = 60_000;
const AT_LEAST = 10_000;

// Id → when it goes, and what it is called here.
const going = new Map();
let whenGone = () => {};
let ticking;

export function isGoing(id) {
  return going.has(id);
}

// What is done when memories went, or came back.
export function onGone(listener) {
  whenGone = listener;
}

function keep() {
  const kept = [...going].map(([id, { due }]) => [id, due]);
  localStorage.setItem(KEPT, JSON.stringify(kept));
}

// Takes up what was left waiting.
export function resume() {
  let kept = [];
  try {
    kept = JSON.parse(localStorage.getItem(KEPT) ?? "[]");
  } catch {
    // What cannot be read is a wish nobody can know any more; the memories are all there.
  }
  const soonest = Date.now() + AT_LEAST;
  for (const [id, due] of Array.isArray(kept) ? kept : []) {
    if (typeof id === "string" && Number.isFinite(due)) going.set(id, { due: Math.max(due, soonest), name: "a memory of an earlier visit" });
  }
  tick();
}

export function forget(memory) {
  if (going.has(memory.id)) return;
  going.set(memory.id, { due: Date.now() + MINUTE, name: firstWords(memory.content, 40) });
  keep();
  say(`Forgetting in a minute: ${firstWords(memory.content, 40)}. Press u to undo.`);
  whenGone();
  tick();
}

export function undo(id = [...going.keys()].pop()) {
  if (!going.delete(id)) return;
  keep();
  say("Kept.");
  whenGone();
  tick();
}

async function carryOut(id) {
  const { name } = going.get(id);
  going.delete(id);
  try {
    const gone = await api.forget(id);
    keep();
    changed();
    say(gone.lingers?.length ? `Forgotten; traces are left until nobody reads the store: ${name}` : `Forgotten for good: ${name}`);
  } catch (error) {
    // Gone already is as good as done; anything else is told, and the memory stays.
    keep();
    if (error.status !== 404) complain(error);
  }
  whenGone();
  tick();
}

function tick() {
  clearTimeout(ticking);
  const now = Date.now();
  for (const [id, { due }] of going) if (due <= now) carryOut(id);
  draw(now);
  if (going.size > 0) ticking = setTimeout(tick, 1000);
}

function draw(now) {
  const place = byId("going");
  place.hidden = going.size === 0;
  const rows = [...going].map(([id, { due, name }]) => {
    const left = Math.max(0, Math.ceil((due - now) / 1000));
    return h("li", { "data-going": id },
      h("span", { class: "name" }, name), h("span", { class: "dim" }, ` goes in ${left} s`),
      button("Undo", () => undo(id), { class: "first" }), button("Now", () => carryOut(id)));
  });
  const focused = place.contains(document.activeElement) ? document.activeElement.textContent : undefined;
  put(place, going.size > 0 && h("h2", null, `Forgetting ${plural(going.size, "memory", "memories")}`), h("ul", null, rows));
  if (focused) [...place.querySelectorAll("button")].find((one) => one.textContent === focused)?.focus();
}
