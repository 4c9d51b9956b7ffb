// Small drawings of numbers over days. Each has a text that says the same, and a table behind
// it for whoever wants every number.

import { h, svg } from "./dom.js";
import { number } from "./words.js";

const WIDTH = 640;
const HEIGHT = 170;
const FOOT = 26;
const HEAD = 14;
const LEFT = 64;

function scaled(values) {
  const most = Math.max(1, ...values);
  const step = (WIDTH - LEFT) / Math.max(1, values.length);
  return {
    most,
    step,
    x: (index) => LEFT + index * step,
    y: (value) => (HEIGHT - FOOT - HEAD) * (1 - value / most) + HEAD,
  };
}

function axes(days, most, scale) {
  const ends = [[0, "start"], [days.length - 1, "end"]];
  return [
    svg("line", { x1: LEFT, x2: WIDTH, y1: scale.y(0), y2: scale.y(0), class: "axis" }),
    svg("line", { x1: LEFT, x2: WIDTH, y1: scale.y(most), y2: scale.y(most), class: "grid" }),
    svg("text", { x: LEFT - 6, y: scale.y(most) + 4, class: "tick", "text-anchor": "end" }, number(most)),
    svg("text", { x: LEFT - 6, y: scale.y(0) + 4, class: "tick", "text-anchor": "end" }, "0"),
    ends.map(([index, anchor]) => days[index] && svg("text", { x: index === 0 ? LEFT : WIDTH, y: HEIGHT - 2, class: "tick", "text-anchor": anchor }, days[index].date)),
  ];
}

function figure(title, told, days, name, drawing) {
  const rows = days.filter((day) => day[name] > 0).map((day) => h("tr", null, h("th", { scope: "row" }, day.date), h("td", { class: "number" }, number(day[name]))));
  return h("figure", { class: "plot" },
    h("figcaption", null, h("b", null, title), h("span", { class: "dim" }, ` ${told}`)),
    svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, role: "img", "aria-label": `${title}: ${told}` }, drawing),
    h("details", null, h("summary", null, "Numbers"), h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": `${title}, day by day` }, h("table", null, h("thead", null, h("tr", null, h("th", { scope: "col" }, "day"), h("th", { scope: "col" }, title))), h("tbody", null, rows)))));
}

// One bar for each day.
export function bars(title, told, days, name) {
  const scale = scaled(days.map((day) => day[name]));
  const drawn = days.map((day, index) => day[name] > 0 && svg("rect", {
    x: scale.x(index), width: Math.max(1, scale.step - 1), y: scale.y(day[name]), height: scale.y(0) - scale.y(day[name]), class: "bar",
  }, svg("title", null, `${day.date}: ${number(day[name])}`)));
  return figure(title, told, days, name, [axes(days, scale.most, scale), drawn]);
}

// One line over all days.
export function line(title, told, days, name) {
  const scale = scaled(days.map((day) => day[name]));
  const points = days.map((day, index) => `${scale.x(index) + scale.step / 2},${scale.y(day[name])}`);
  const last = days.length - 1;
  const area = [`${scale.x(0) + scale.step / 2},${scale.y(0)}`, ...points, `${scale.x(last) + scale.step / 2},${scale.y(0)}`];
  return figure(title, told, days, name, [axes(days, scale.most, scale), svg("polygon", { points: area.join(" "), class: "area" }), svg("polyline", { points: points.join(" "), class: "line" })]);
}

// Names with a bar and a number each, longest first.
export function shares(title, pairs, named = (name) => name) {
  const sorted = [...pairs].sort((a, b) => b[1] - a[1]);
  const most = Math.max(1, ...sorted.map(([, count]) => count));
  return h("section", { class: "shares" }, h("h3", null, title), sorted.length === 0 ? h("p", { class: "dim" }, "None.") : h("table", null, h("tbody", null,
    sorted.slice(0, 12).map(([name, count]) => h("tr", null, h("th", { scope: "row", title: name }, named(name)), h("td", { class: "number" }, number(count)), h("td", null, h("meter", { min: 0, max: most, value: count, "aria-label": `${name}: ${number(count)}` }))))),
    sorted.length > 12 && h("caption", null, `and ${number(sorted.length - 12)} more`)));
}
