// Loads the plugin that `nuthatch install opencode` writes, as OpenCode does, and talks with it.
//
// Usage: opencode.mjs PLUGIN FOLDER
import assert from "node:assert"
import { pathToFileURL } from "node:url"

const [, , plugin, directory] = process.argv
const { Nuthatch } = await import(pathToFileURL(plugin))
const hooks = await Nuthatch({ directory })

async function say(session, text) {
  const output = { message: { id: "msg_1" }, parts: [{ type: "text", text }] }
  await hooks["chat.message"]({ sessionID: session }, output)
  return output.parts.slice(1)
}

const first = await say("ses_1", "which port does the staging database listen on?")
assert.equal(first.length, 1)
assert.ok(first[0].synthetic && first[0].text.includes("5433"), first[0].text)
assert.equal((await say("ses_1", "and which port was it again?")).length, 0, "never twice")

const compacting = { context: [] }
await hooks["experimental.session.compacting"]({ sessionID: "ses_1" }, compacting)
assert.ok(compacting.context[0].includes("5433"))
await hooks.event({ event: { type: "session.idle", properties: { sessionID: "ses_1" } } })
await hooks.event({ event: { type: "something.else", properties: {} } })
console.log("plugin of opencode: reminds once, again after a compaction, and rests")
