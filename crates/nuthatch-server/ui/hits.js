// What a search found: the passage with the words marked, and why it stands where it does.

import { h } from "./dom.js";
import { marked, meantWords, scope, time } from "./words.js";

const LANES = { text: "words", vector: "meaning", key: "key", recent: "time" };

function told(lane, evidence, content) {
  if (lane === "text") {
    const words = meantWords(content, evidence.terms ?? []);
    return `words: ${(words.length > 0 ? words : (evidence.terms ?? [])).join(", ")}`;
  }
  if (lane === "vector") return `meaning ${evidence.raw.toFixed(2)}`;
  if (lane === "recent") return `${Math.round(evidence.raw)} days old`;
  return LANES[lane] ?? lane;
}

// In one line: which lanes found it.
export function why(hit) {
  const lanes = Object.entries(hit.lanes).map(([lane, evidence]) => told(lane, evidence, hit.content));
  if (hit.pinned) lanes.push("pinned");
  if (hit.contradicts?.length) lanes.push("others say something else");
  return lanes.join(" · ");
}

// What the score is made of, as bars that a screen reader reads as numbers.
export function explained(hit) {
  const parts = Object.entries(hit.parts ?? {});
  const most = Math.max(0.001, ...parts.map(([, value]) => Math.abs(value)));
  const rows = parts.map(([name, value]) =>
    h("tr", null, h("th", { scope: "row" }, name), h("td", { class: "number" }, value.toFixed(3)),
      h("td", null, h("meter", { min: 0, max: most, value: Math.abs(value), class: value < 0 && "against", "aria-label": `weight of ${name}${value < 0 ? ", against it" : ""}` }))));
  const lanes = Object.entries(hit.lanes).map(([lane, evidence]) =>
    h("li", null, h("b", null, LANES[lane] ?? lane), ` ${evidence.raw.toFixed(3)}`, evidence.terms?.length && ` (${evidence.terms.join(", ")})`));
  return h("section", { class: "why", "aria-label": "Why it was found" },
    h("h3", null, "Why it was found"),
    h("p", null, "Score ", h("b", null, hit.score.toFixed(3)), ": 0.5 is as near in meaning as an answer must be."),
    h("ul", null, lanes),
    rows.length > 0 && h("table", { class: "parts" }, h("thead", null, h("tr", null, ["part", "weight", "share"].map((name) => h("th", { scope: "col", class: name === "weight" && "number" }, name)))), h("tbody", null, rows)));
}

function about(hit) {
  if (hit.kind === "turn") return `${hit.role ?? "said"} in a session`;
  return hit.kind === "session" ? "session" : hit.category;
}

export function hitRow(hit) {
  const terms = hit.lanes.text?.terms ?? [];
  return [
    h("span", { class: "text" }, hit.pinned && h("span", { class: "pin", title: "pinned" }, "● "), marked(hit.content, terms)),
    h("span", { class: "meta" },
      h("span", { class: "score", title: "score" }, hit.score.toFixed(2)),
      h("span", { class: "tag" }, about(hit)), h("span", { class: `trust ${hit.trust}` }, hit.trust),
      h("span", null, scope(hit.scope)), time(hit.created_at)),
    h("span", { class: "because" }, why(hit)),
  ];
}
