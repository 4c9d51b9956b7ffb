// Builds elements. What a memory says only ever becomes the text of a node: there is no way
// from here to markup, to an address or to a handler made of text.

const SVG = "http://www.w3.org/2000/svg";

// An element: attributes by name, listeners under `on`, properties under `is`.
export function h(tag, attributes, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

// The same for drawings.
export function svg(tag, attributes, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  const { on = {}, is = {}, ...plain } = attributes ?? {};
  for (const [name, value] of Object.entries(plain)) {
    if (value === undefined || value === null || value === false) continue;
    element.setAttribute(name, value === true ? "" : String(value));
  }
  for (const [event, listener] of Object.entries(on)) element.addEventListener(event, listener);
  Object.assign(element, is);
  element.append(...shown(children));
  return element;
}

// Children without those that are not there.
function shown(children) {
  return children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== false);
}

// Puts these in place of whatever was there.
export function put(element, ...children) {
  element.replaceChildren(...shown(children));
  return element;
}

export function button(label, listener, attributes) {
  return h("button", { type: "button", ...attributes, on: { click: listener } }, label);
}

// A name and a control that belong together.
export function field(label, control, hint) {
  return h("label", { class: "field" }, h("span", null, label), control, hint && h("small", null, hint));
}

export function select(label, options, chosen, changed) {
  const control = h(
    "select",
    { on: { change: () => changed(control.value) } },
    options.map(([value, text]) => h("option", { value, selected: value === chosen }, text)),
  );
  return field(label, control);
}

// Names and values, those that are not there left out.
export function facts(pairs) {
  const known = pairs.filter(([, value]) => value !== undefined && value !== null && value !== "");
  return h("dl", { class: "facts" }, known.map(([name, value]) => h("div", null, h("dt", null, name), h("dd", null, value))));
}

export function byId(id) {
  return document.getElementById(id);
}
