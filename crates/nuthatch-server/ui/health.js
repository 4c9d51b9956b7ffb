// Whether everything works: the store looks at itself, and tries a write.

import { api } from "./api.js";
import { button, h, put } from "./dom.js";
import { attempt, say } from "./desk.js";
import { number } from "./words.js";

const MARKS = { ok: "✓", warning: "!", failure: "✗" };

// The checks read the whole store, so they run when somebody asks for them.
export function health() {
  const place = h("div");
  const look = attempt(async () => {
    put(place, h("p", { class: "dim" }, "Looking…"));
    const [running, { findings }] = await Promise.all([api.running(), api.health()]);
    const bad = findings.filter((finding) => finding.severity !== "ok").length;
    say(bad === 0 ? "Everything is as it should be." : `${bad} findings need a look.`);
    put(place,
      h("p", null, "A memory can be stored: ", h("b", null, running.status), ". Waiting to be embedded: ", h("b", null, number(running.queue?.waiting ?? 0)), "."),
      h("ul", { class: "findings" }, findings.map((finding) => h("li", { class: finding.severity },
        h("span", { class: "mark", "aria-hidden": "true" }, MARKS[finding.severity]), h("b", null, finding.name), h("span", { class: "unseen" }, ` ${finding.severity}: `), ` ${finding.detail}`, finding.hint && h("small", null, ` ${finding.hint}`)))));
  });
  return h("section", { "aria-labelledby": "health-title" }, h("h2", { id: "health-title" }, "Health"), button("Look for damage", look, { class: "first" }), place);
}
