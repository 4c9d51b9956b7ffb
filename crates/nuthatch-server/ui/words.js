// How numbers, times, scopes and found words are written.

import { h } from "./dom.js";

const STEPS = [
  [60, "second", 1],
  [3600, "minute", 60],
  [86400, "hour", 3600],
  [30 * 86400, "day", 86400],
  [365 * 86400, "month", 30 * 86400],
  [Infinity, "year", 365 * 86400],
];

const relative = new Intl.RelativeTimeFormat("en", { numeric: "auto" });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });
const grouped = new Intl.NumberFormat("en");

export function number(value) {
  return grouped.format(value);
}

export function ago(text) {
  const seconds = (new Date(text).getTime() - Date.now()) / 1000;
  const [, unit, size] = STEPS.find(([below]) => Math.abs(seconds) < below);
  return Math.abs(seconds) < 45 ? "just now" : relative.format(Math.round(seconds / size), unit);
}

export function moment(text) {
  return exact.format(new Date(text));
}

// A time as people say it, with the exact one behind it.
export function time(text) {
  return text ? h("time", { datetime: text, title: moment(text) }, ago(text)) : null;
}

export function bytes(count) {
  const units = ["B", "KB", "MB", "GB", "TB"];
  let value = count;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${value >= 100 || unit === 0 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

export function plural(count, one, many = `${one}s`) {
  return `${number(count)} ${count === 1 ? one : many}`;
}

// A scope in a few characters; whole ones are long.
export function scope(name) {
  const [kind, ...rest] = name.split(":");
  const id = rest.join(":");
  return id ? `${kind} ${id.length > 14 ? `${id.slice(0, 12)}…` : id}` : kind;
}

export function firstWords(text, most = 60) {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${[...line].slice(0, most).join("")}…` : line;
}

const WORD = /[\p{L}\p{N}]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Hangul}]/u;

function folded(word) {
  return word.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();
}

// Whether a word is an inflection of a stem that was looked for.
function isMeant(word, stems) {
  const plain = folded(word);
  return stems.some((stem) => {
    if (plain === stem) return true;
    const root = stem.length > 3 ? stem.replace(/[iey]$/, "") : stem;
    return root.length > 2 && plain.startsWith(root) && plain.length - root.length <= 5;
  });
}

// The words of a text that are meant, each once, as they stand there.
export function meantWords(text, terms) {
  const stems = terms.map(folded);
  const words = [...text.matchAll(WORD)].map((found) => found[0]).filter((word) => isMeant(word, stems));
  return [...new Set(words.map((word) => word.toLowerCase()))];
}

function markedUnspaced(text, pairs) {
  const at = pairs.map((pair) => text.indexOf(pair)).filter((found) => found >= 0);
  if (at.length === 0) return [text];
  const [start, end] = [Math.min(...at), Math.max(...pairs.map((pair) => text.lastIndexOf(pair) + pair.length))];
  return [text.slice(0, start), h("mark", null, text.slice(start, end)), text.slice(end)];
}

// A text with the words that were looked for marked.
export function marked(text, terms) {
  const stems = terms.map(folded);
  const pairs = terms.filter((term) => UNSPACED.test(term));
  const parts = [];
  let from = 0;
  for (const found of text.matchAll(WORD)) {
    const word = found[0];
    const isUnspaced = UNSPACED.test(word);
    if (!isUnspaced && !isMeant(word, stems)) continue;
    parts.push(text.slice(from, found.index));
    parts.push(isUnspaced ? markedUnspaced(word, pairs) : h("mark", null, word));
    from = found.index + word.length;
  }
  parts.push(text.slice(from));
  return parts;
}
