// What is looked through: scope, category, project, agent, trust, time. The choices come from
// the store itself.

import { api } from "./api.js";
import { h, select } from "./dom.js";
import { stats, TRUST } from "./desk.js";
import { number, scope } from "./words.js";

const TIMES = [["", "any time"], ["1d", "today"], ["7d", "last 7 days"], ["30d", "last 30 days"], ["90d", "last 90 days"], ["365d", "last year"]];

// What is chosen stays chosen while other views are open.
export const chosen = { scope: "", category: "", agent: "", trust: "", since: "", pinned: "", superseded: "" };

export function isNarrowed() {
  return Object.values(chosen).some((value) => value !== "");
}

export function clear() {
  for (const name of Object.keys(chosen)) chosen[name] = "";
}

// The choices as the server understands them.
export function wanted() {
  const asked = {};
  if (chosen.scope === "*") asked.all_projects = true;
  else if (chosen.scope) asked.scopes = [chosen.scope];
  if (chosen.category) asked.categories = [chosen.category];
  if (chosen.agent) asked.agent = chosen.agent;
  if (chosen.trust) asked.trust = chosen.trust;
  if (chosen.since) asked.since = chosen.since;
  if (chosen.pinned) asked.pinned = chosen.pinned === "yes";
  if (chosen.superseded) asked.superseded = true;
  return asked;
}

// Agents whose conversations are stored.
async function agents() {
  const found = await api.growth({ days: 1, all_projects: true });
  return Object.entries(found.agents);
}

let knownAgents;

export async function bar(changed) {
  const { scopes, categories } = await stats();
  knownAgents ??= agents().catch(() => []);
  const named = (await knownAgents).map(([name, count]) => [name, `${name} (${number(count)})`]);
  const places = scopes
    .filter((usage) => !usage.scope.startsWith("session:"))
    .map((usage) => [usage.scope, `${scope(usage.scope)} (${number(usage.entries)})`]);
  const kinds = categories.map(([name, count]) => [name, `${name} (${number(count)})`]);
  const pick = (label, name, options) =>
    select(label, options, chosen[name], (value) => {
      chosen[name] = value;
      changed();
    });
  return h("div", { class: "filters", role: "group", "aria-label": "Filters" },
    pick("Scope", "scope", [["", "here"], ["*", "every project"], ...places]),
    pick("Category", "category", [["", "any"], ...kinds]),
    pick("Trust", "trust", [["", "any"], ...TRUST.map((name) => [name, name])]),
    pick("Agent", "agent", [["", "any"], ...named]),
    pick("Stored", "since", TIMES),
    pick("Pinned", "pinned", [["", "any"], ["yes", "pinned"], ["no", "not pinned"]]),
    pick("Replaced", "superseded", [["", "hidden"], ["yes", "shown"]]));
}
