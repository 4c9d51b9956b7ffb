// Jobs and spend: what autonomous memory did, is doing and left out, each with its reason, the
// documents it made, and what models were paid for it.

import { api } from "./api.js";
import { button, facts, h, put, select } from "./dom.js";
import { attempt, changed, complain, say } from "./desk.js";
import { number, plural, scope, time } from "./words.js";

const MOST_ROWS = 200;

let where = "here";

function table(label, heads, rows) {
  return h("div", { class: "scrolls", tabindex: 0, role: "region", "aria-label": label },
    h("table", null, h("thead", null, h("tr", null, heads.map((head) => h("th", { scope: "col" }, head)))), h("tbody", null, rows)));
}

function rest(all) {
  return all.length > MOST_ROWS && h("p", { class: "dim" }, `and ${number(all.length - MOST_ROWS)} more`);
}

function jobRow(job) {
  const until = job.lease_until && job.state === "running" ? ["held until ", time(job.lease_until)] : null;
  const again = job.retry_at && job.state === "pending" ? ["again ", time(job.retry_at)] : null;
  return h("tr", null,
    h("td", null, h("span", { class: `state ${job.state}` }, job.state)), h("td", null, job.kind), h("td", { class: "breaks" }, job.name),
    h("td", { class: "number" }, number(job.tries)), h("td", null, time(job.finished_at ?? job.updated_at)),
    h("td", { class: "breaks" }, job.last_error ?? until ?? again ?? Object.entries(job.notes ?? {}).map(([name, value]) => `${name} ${value}`).join(", ")));
}

function sessionRow(session) {
  return h("tr", null,
    h("td", null, h("span", { class: `state ${session.state}` }, session.state)), h("td", null, session.agent),
    h("td", { class: "breaks" }, session.id), h("td", null, session.project && scope(`project:${session.project}`)),
    h("td", null, time(session.updated_at)), h("td", null, session.why ?? session.reason ?? "at the next run"));
}

export class Jobs {
  constructor(main) {
    this.place = h("div", { class: "stack" }, h("p", { class: "dim" }, "Looking…"));
    this.costs = h("div", { class: "stack" });
    this.ran = h("div", { class: "stack" });
    put(main, h("div", { class: "sheet wide" },
      h("h1", null, "Jobs and spend"),
      h("div", { class: "filters", role: "group", "aria-label": "What is shown" },
        select("Sessions of", [["here", "this project"], ["all", "every project"]], where, (value) => {
          where = value;
          this.look();
        }),
        button("What is due?", () => this.run(true), { title: "Say what would be done and what it would cost" }), button("Run now", () => this.run(false))),
      this.ran, this.place, this.costs));
    this.look();
  }

  get keys() {
    return {};
  }

  get reach() {
    return where === "all" ? { all_projects: true } : {};
  }

  async look() {
    try {
      const [status, log, spent] = await Promise.all([api.jobs(this.reach), api.log(), api.spend()]);
      this.draw(status, log.generations ?? log);
      this.account(spent);
    } catch (error) {
      if (error.status === 404) put(this.place, h("p", { class: "notice" }, "This server learns nothing by itself."));
      else complain(error);
    }
  }

  draw({ enabled, means, jobs, sessions, unreadable, documents, generation }, log) {
    const skipped = sessions.filter((session) => session.state === "skipped").length;
    put(this.place,
      facts([
        ["By itself", enabled ? "on" : "off: it runs only when asked to"], ["Reads sessions", means.extraction], ["Words documents", means.consolidation],
        ["Documents", h("code", { class: "breaks" }, documents)], ["Published set", generation ? number(generation) : "none yet"],
        ["Could not be read", Object.entries(unreadable ?? {}).map(([kind, count]) => `${kind}: ${number(count)}`).join(", ")],
      ]),
      h("h2", null, `Jobs (${number(jobs.length)})`),
      jobs.length === 0 ? h("p", { class: "dim" }, "None.") : table("Jobs", ["state", "kind", "of", "tries", "when", "what came of it"], jobs.slice(0, MOST_ROWS).map(jobRow)), rest(jobs),
      h("h2", null, `Sessions found (${number(sessions.length)}, ${number(skipped)} skipped)`),
      sessions.length === 0 ? h("p", { class: "dim" }, "None.") : table("Sessions", ["state", "agent", "session", "project", "last active", "why"], sessions.slice(0, MOST_ROWS).map(sessionRow)), rest(sessions),
      h("h2", null, `Sets of documents (${number(log.length)})`),
      log.length === 0 ? h("p", { class: "dim" }, "None.") : table("Sets of documents", ["set", "published", "why", "documents"], log.map((set) => h("tr", null, h("td", null, number(set.number)), h("td", null, time(set.at)), h("td", null, set.why), h("td", { class: "number" }, number(set.documents))))));
  }

  account({ means, days, receipts }) {
    const day = (one) => h("tr", null, h("td", null, one.day), h("td", { class: "breaks" }, one.model), h("td", null, one.paid ? "paid" : "free"), h("td", { class: "number" }, number(one.calls)), h("td", { class: "number" }, number(one.tokens)));
    const receipt = (one) => h("tr", null, h("td", null, time(one.at)), h("td", { class: "breaks" }, `${one.provider} ${one.model}`), h("td", null, one.paid ? "paid" : "free"), h("td", { class: "number" }, number(one.input_tokens)), h("td", { class: "number" }, number(one.output_tokens)));
    put(this.costs,
      h("h2", null, "Spend"),
      h("p", { class: "spent" }, h("b", null, `${number(means.spent_today)} of ${number(means.tokens_per_day)} tokens of paid models today`),
        h("meter", { min: 0, max: Math.max(1, means.tokens_per_day), value: means.spent_today, "aria-label": "tokens of paid models spent today" })),
      h("p", { class: "dim" }, `At most ${number(means.tokens_per_run)} in a run. Nothing is sent to a paid model while this is 0.`),
      days.length > 0 && table("Spend by day", ["day", "model", "cost", "calls", "tokens"], days.slice(0, MOST_ROWS).map(day)),
      receipts.length > 0 && h("details", null, h("summary", null, "The last calls"), table("The last calls", ["when", "model", "cost", "read", "written"], receipts.map(receipt))));
  }

  run = attempt(async (isDry) => {
    put(this.ran, h("p", { class: "notice" }, isDry ? "Looking at what is due…" : "Learning…"));
    try {
      const ran = await api.run({ ...this.reach, dry_run: isDry });
      const told = isDry ? `${plural(ran.sessions.length, "session is", "sessions are")} due; it would cost about ${number(ran.estimate ?? 0)} tokens.` : `Learnt from ${plural(ran.sessions.length, "session")}, for ${number(ran.tokens)} tokens.`;
      put(this.ran, h("p", { class: "notice" }, told, ran.stopped && ` It ended early: ${ran.stopped}`));
      say(told);
      if (!isDry) {
        changed();
        this.look();
      }
    } catch (error) {
      put(this.ran);
      throw error;
    }
  });

  close() {}
}
