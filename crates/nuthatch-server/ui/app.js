// Where everything begins: the token, the views and the address that names them.

import { api, dropToken, keepToken, onLocked, takeToken } from "./api.js";
import { byId, field, h, put } from "./dom.js";
import { calm, complain } from "./desk.js";
import * as forgetting from "./forgetting.js";
import { bind, bindAlways, listen, showKeys } from "./keys.js";
import { Inject } from "./inject.js";
import { Jobs } from "./jobs.js";
import { Memories } from "./memories.js";
import { Overview } from "./overview.js";
import { Review } from "./review.js";
import { Sessions } from "./sessions.js";

const VIEWS = [
  ["memories", "Memories", Memories],
  ["review", "Review", Review],
  ["sessions", "Sessions", Sessions],
  ["jobs", "Jobs", Jobs],
  ["prompt", "Prompt", Inject],
  ["overview", "Overview", Overview],
];

const main = byId("main");
let view;
let open = false;

// The view that the address names, with what stands behind it.
function address() {
  const [name, ...parts] = location.hash.replace(/^#\/?/, "").split("/").map(decoded);
  return VIEWS.some(([known]) => known === name) ? [name, parts] : ["memories", []];
}

function decoded(part) {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

function show() {
  if (!open) return;
  const [name, parts] = address();
  const [, title, View] = VIEWS.find(([known]) => known === name);
  view?.close();
  calm();
  document.title = `${title} · Nuthatch`;
  for (const link of byId("views").querySelectorAll("a")) {
    if (link.dataset.view === name) link.setAttribute("aria-current", "page");
    else link.removeAttribute("aria-current");
  }
  view = new View(main, parts);
  bind(view.keys);
}

function login(wrong) {
  open = false;
  view?.close();
  view = undefined;
  bind({});
  const token = h("input", { type: "password", autocomplete: "off", required: true, id: "token" });
  const enter = async (event) => {
    event.preventDefault();
    keepToken(token.value.trim());
    begin(true);
  };
  put(main, h("form", { class: "sheet login", on: { submit: enter } },
    h("h1", null, "Who is there?"),
    h("p", null, "This memory is behind a token. ", h("code", null, "nuthatch ui"), " opens the page with it; ", h("code", null, "nuthatch serve"), " prints it."),
    wrong && h("p", { class: "wrong", role: "alert" }, "That is not the token of this server."),
    field("Token", token), h("button", { type: "submit", class: "first" }, "Open")));
  token.focus();
}

// Asks something cheap first: with the wrong token nothing else would work either.
async function begin(wasTyped) {
  try {
    await api.browse({ limit: 1 });
    open = true;
    forgetting.resume();
    show();
    if (wasTyped) main.focus();
  } catch (error) {
    if (error.status === 401) {
      dropToken();
      login(wasTyped);
    } else complain(error);
  }
}

function start() {
  takeToken();
  put(byId("views"), VIEWS.map(([name, title]) => h("a", { href: `#/${name}`, "data-view": name }, title)));
  byId("help").addEventListener("click", showKeys);
  listen();
  bindAlways({ "/": () => (location.hash = "#/memories"), u: () => forgetting.undo() });
  forgetting.onGone(() => view?.gone?.());
  onLocked(() => open && login(false));
  addEventListener("hashchange", () => {
    if (location.hash.startsWith("#token=")) {
      takeToken();
      begin(false);
    } else if (location.hash !== "#main") show();
  });
  begin(false);
}

start();
