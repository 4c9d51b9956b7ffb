// Forms that change memories. The server takes what comes through it for an agent's word, so
// whoever vouches for a text here approves it in a second step, as in review.

import { api } from "./api.js";
import { button, field, h, put } from "./dom.js";
import { CATEGORIES, complain, say } from "./desk.js";

function area(label, value, hint) {
  const control = h("textarea", { rows: 6, required: true, is: { value } });
  return [control, field(label, control, hint)];
}

function line(label, value, attributes, hint) {
  const control = h("input", { type: "text", autocomplete: "off", ...attributes, is: { value } });
  return [control, field(label, control, hint)];
}

function tick(label, isTicked) {
  const control = h("input", { type: "checkbox", is: { checked: isTicked } });
  return [control, h("label", { class: "tick" }, control, ` ${label}`)];
}

// A form with its buttons; `send` gives back the id of what was saved.
function form(title, rows, first, send) {
  let whenSaved = () => {};
  let whenCancelled = () => {};
  let isSending = false;
  const trouble = h("p", { class: "wrong", role: "alert" });
  const save = async () => {
    if (isSending || !element.reportValidity()) return;
    isSending = true;
    put(trouble);
    try {
      const id = await send();
      say("Saved.");
      whenSaved(id);
    } catch (error) {
      if (error.status === 401) complain(error);
      put(trouble, `${error.message}. ${error.hint ?? ""}`);
    }
    isSending = false;
  };
  const element = h("form", { class: "sheet", "aria-label": title, on: { submit: (event) => event.preventDefault() ?? save() } },
    h("h2", null, title), rows, trouble,
    h("div", { class: "actions" }, h("button", { type: "submit", class: "first", title: "Ctrl Enter" }, "Save"), button("Cancel", () => whenCancelled(), { title: "Esc" })));
  return {
    element, save,
    focus: () => first.focus(),
    saved: (listener) => (whenSaved = listener),
    cancelled: (listener) => (whenCancelled = listener),
  };
}

function kinds() {
  return h("datalist", { id: "kinds" }, CATEGORIES.map((name) => h("option", { value: name })));
}

async function vouch(id, isMeant) {
  if (!isMeant) return;
  const { refused } = await api.approve([id]);
  if (refused.length > 0) say("Saved, but it holds a secret and cannot be approved.");
}

const VOUCH = "I vouch for it: it counts as my word";

export function editForm(memory) {
  const [content, contentField] = area("Text", memory.content);
  const [key, keyField] = line("Key", memory.key ?? "", {}, "a name of your own; empty for none");
  const [category, categoryField] = line("Category", memory.category, { list: "kinds", required: true });
  const [importance, importanceField] = line("Importance", memory.importance, { type: "number", min: 0, max: 1, step: 0.05 });
  const [note, noteField] = tick("Keep line breaks", memory.content.includes("\n"));
  const [meant, meantField] = tick(VOUCH, true);
  const send = async () => {
    const wish = { expected: memory.updated_at };
    if (content.value !== memory.content) Object.assign(wish, { content: content.value, note: note.checked });
    if (key.value !== (memory.key ?? "")) wish.key = key.value;
    if (category.value !== memory.category) wish.category = category.value;
    if (Number(importance.value) !== memory.importance) wish.importance = Number(importance.value);
    if (Object.keys(wish).length > 1) await api.edit(memory.id, wish);
    await vouch(memory.id, meant.checked);
    return memory.id;
  };
  return form("Edit", [contentField, noteField, keyField, categoryField, kinds(), importanceField, meantField], content, send);
}

export function replaceForm(memory) {
  const [content, contentField] = area("What holds instead", "", "What it says now is kept, and can be brought back.");
  const [meant, meantField] = tick(VOUCH, true);
  const send = async () => {
    const wish = { content: content.value, category: memory.category, scope: memory.scope, supersedes: [memory.id] };
    const { memory: made } = await api.remember({ ...wish, note: content.value.includes("\n") });
    await vouch(made.id, meant.checked);
    return made.id;
  };
  return form("Replace", [h("blockquote", null, memory.content), contentField, meantField], content, send);
}

export function newForm() {
  const [content, contentField] = area("What to remember", "", "One self-contained fact in plain words.");
  const [key, keyField] = line("Key", "", {}, "optional; the same key again replaces the text");
  const [category, categoryField] = line("Category", "core", { list: "kinds", required: true });
  const [scope, scopeField] = line("Scope", "", { placeholder: "this project" }, "global, user, project; empty for the usual one");
  const [meant, meantField] = tick(VOUCH, true);
  const send = async () => {
    const wish = { content: content.value, category: category.value, note: content.value.includes("\n") };
    if (key.value) wish.key = key.value;
    if (scope.value) wish.scope = scope.value;
    const { memory } = await api.remember(wish);
    await vouch(memory.id, meant.checked);
    return memory.id;
  };
  return form("New memory", [contentField, keyField, categoryField, kinds(), scopeField, meantField], content, send);
}
