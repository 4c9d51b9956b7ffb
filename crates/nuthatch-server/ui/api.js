// Speaks to the server. The token comes out of the fragment that `nuthatch ui` opens the page
// with, or out of the login field; it is kept for this tab alone and sent in a header.

const TOKEN = "nuthatch-token";

// Takes the token out of the address at once, so that no copy of the address holds it.
export function takeToken() {
  const given = /^#token=([A-Za-z0-9]+)$/.exec(location.hash);
  if (!given) return;
  keepToken(given[1]);
  history.replaceState(null, "", location.pathname);
}

export function keepToken(token) {
  sessionStorage.setItem(TOKEN, token);
}

export function dropToken() {
  sessionStorage.removeItem(TOKEN);
}

// What the server refused, or why it could not be asked.
export class Failure extends Error {
  constructor(status, told) {
    super(told.message);
    this.status = status;
    this.kind = told.kind;
    this.hint = told.hint;
  }
}

let whenLocked = () => {};

// What is done when the server wants a token.
export function onLocked(listener) {
  whenLocked = listener;
}

async function ask(method, path, body, signal) {
  const headers = {};
  const token = sessionStorage.getItem(TOKEN);
  if (token) headers.Authorization = `Bearer ${token}`;
  if (body !== undefined) headers["Content-Type"] = "application/json";
  const request = { method, headers, signal, credentials: "omit", referrerPolicy: "no-referrer" };
  if (body !== undefined) request.body = JSON.stringify(body);
  let response;
  try {
    response = await fetch(path, request);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Failure(0, { kind: "unavailable", message: "the server does not answer", hint: "is `nuthatch serve` still running?" });
  }
  if (response.status === 204) return {};
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  if (response.status === 401) whenLocked();
  throw new Failure(response.status, answer.error ?? { kind: "internal", message: `the server answered ${response.status}` });
}

const one = (id) => `/v1/memories/${encodeURIComponent(id)}`;
const conversation = (id) => `/v1/sessions/${encodeURIComponent(id)}`;

function query(values) {
  const pairs = Object.entries(values).filter(([, value]) => value !== undefined);
  return new URLSearchParams(pairs.map(([name, value]) => [name, String(value)])).toString();
}

export const api = {
  stats: () => ask("GET", "/v1/stats"),
  health: () => ask("GET", "/v1/health"),
  running: () => ask("GET", "/healthz"),
  growth: (wanted) => ask("GET", `/v1/growth?${query(wanted)}`),
  browse: (wanted, signal) => ask("POST", "/v1/browse", wanted, signal),
  show: (id, signal) => ask("GET", one(id), undefined, signal),
  examine: (id, signal) => ask("GET", `/v1/review/${encodeURIComponent(id)}`, undefined, signal),
  remember: (wanted) => ask("POST", "/v1/memories", wanted),
  edit: (id, wanted) => ask("PATCH", one(id), wanted),
  supersede: (id, by) => ask("POST", `${one(id)}/supersede`, by ? { by } : {}),
  forget: (id) => ask("DELETE", one(id)),
  approve: (ids) => ask("POST", "/v1/review/approve", { ids }),
  reminded: (wanted, signal) => ask("POST", "/v1/reminded", wanted, signal),
  injected: (wanted, signal) => ask("POST", "/v1/injected", wanted, signal),
  sessions: (offset, limit) => ask("GET", `/v1/sessions?${query({ offset, limit })}`),
  turns: (id, offset, limit) => ask("GET", `${conversation(id)}/turns?${query({ offset, limit })}`),
  forgetSession: (id) => ask("DELETE", conversation(id)),
  jobs: (wanted) => ask("GET", `/v1/memory/status?${query(wanted)}`),
  run: (wanted) => ask("POST", "/v1/memory/run", wanted),
  summary: () => ask("GET", "/v1/memory/view"),
  spend: () => ask("GET", "/v1/memory/spend"),
  log: () => ask("GET", "/v1/memory/log"),
};
