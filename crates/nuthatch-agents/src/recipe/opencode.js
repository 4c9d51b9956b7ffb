// Made by `nuthatch install`; `nuthatch uninstall opencode` removes it.
// Gives OpenCode what Nuthatch remembers, and tells Nuthatch when a session rests.
import { spawn } from "node:child_process"

const PROGRAM = "nuthatch" /* program */
// Longer than the hook's own deadlines: only a process that hangs is given up.
const PATIENCE_MS = 3000

// Sends one event and gives back the context, or nothing. Never fails.
function ask(event) {
  return new Promise((resolve) => {
    let out = ""
    let child
    const finish = (text) => {
      clearTimeout(timer)
      resolve(text)
    }
    const timer = setTimeout(() => {
      child?.kill()
      resolve("")
    }, PATIENCE_MS)
    try {
      child = spawn(PROGRAM, ["hook", "opencode"], { stdio: ["pipe", "pipe", "ignore"] })
      child.on("error", () => finish(""))
      child.stdin.on("error", () => {})
      child.stdout.on("data", (chunk) => (out += chunk))
      child.on("close", () => {
        try {
          finish(JSON.parse(out).additional_context ?? "")
        } catch {
          finish("")
        }
      })
      child.stdin.end(JSON.stringify(event))
    } catch {
      finish("")
    }
  })
}

export const Nuthatch = async ({ directory }) => {
  const started = new Set()
  const event = (name, session, more = {}) =>
    ask({ hook_event_name: name, session_id: session, cwd: directory, ...more })
  return {
    "chat.message": async (input, output) => {
      const text = output.parts.filter((part) => part.type === "text" && !part.synthetic)
      const prompt = text.map((part) => part.text).join("\n")
      const said = []
      if (!started.has(input.sessionID)) {
        started.add(input.sessionID)
        said.push(await event("SessionStart", input.sessionID, { source: "startup" }))
      }
      said.push(await event("UserPromptSubmit", input.sessionID, { prompt }))
      const context = said.filter(Boolean).join("\n")
      if (!context) return
      output.parts.push({
        id: "prt_nuthatch" + Date.now().toString(36),
        sessionID: input.sessionID,
        messageID: output.message.id,
        type: "text",
        text: context,
        synthetic: true,
      })
    },
    "experimental.session.compacting": async (input, output) => {
      await event("PreCompact", input.sessionID, { trigger: "auto" })
      const context = await event("SessionStart", input.sessionID, { source: "compact" })
      if (context) output.context.push(context)
    },
    event: async ({ event: seen }) => {
      if (seen.type === "session.idle") await event("Stop", seen.properties.sessionID)
    },
  }
}
