// Hindbrain: the memory of coding agents. Written by `hindbrain init`, removed by `hindbrain uninit`.
//
// Tells the hook program what happens in a session, and the agent what the program answers. Nothing that goes wrong
// here may reach the agent: every door is closed with a catch, and nobody is waited for longer than a second.
import { spawn, spawnSync } from "node:child_process"

const COMMAND = ["hindbrain-hook", "opencode"]
const PATIENCE_MS = 1000
const MOST_TEXT = 200_000 // characters of one text that are passed on
const MOST_OUTPUT = 8_000 // characters of what a tool gave back that are passed on when the session rests
const MOST_PARTS = 400 // things said in one session that are remembered; of earlier ones, which tools spoke
const MOST_SESSIONS = 100 // that are remembered at a time
const MOST_TOLD = 20_000 // characters that stand in the system prompt of one session
const MOST_HOLDS = 2 // of one subagent; the program counts, too

/** Run the hook program with one event; its answer, or nothing when there is none in time. */
function told(event) {
  return new Promise((resolve) => {
    let out = ""
    let timer
    const done = (answer) => {
      clearTimeout(timer)
      resolve(answer)
    }
    try {
      const child = spawn(COMMAND[0], COMMAND.slice(1), { stdio: ["pipe", "pipe", "ignore"], detached: true })
      timer = setTimeout(() => done({}), PATIENCE_MS)
      child.on("error", () => done({}))
      child.stdout.on("data", (data) => (out += data))
      child.stdin.on("error", () => {})
      child.on("close", () => done(understood(out)))
      child.stdin.end(JSON.stringify(event))
      child.unref()
    } catch {
      done({})
    }
  })
}

/** The same for what must not be lost when the client ends right after it: everything waits until it is known. */
function toldAtOnce(event) {
  const options = { input: JSON.stringify(event), timeout: PATIENCE_MS, stdio: ["pipe", "pipe", "ignore"] }
  return understood(String(spawnSync(COMMAND[0], COMMAND.slice(1), options).stdout ?? ""))
}

function understood(text) {
  try {
    const answer = JSON.parse(text)
    return answer && typeof answer === "object" ? answer : {}
  } catch {
    return {}
  }
}

/** The same value, with every long text in it cut. */
function bounded(value) {
  if (typeof value === "string") return value.length > MOST_TEXT ? value.slice(0, MOST_TEXT) : value
  if (Array.isArray(value)) return value.map(bounded)
  if (value && typeof value === "object") {
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, bounded(one)]))
  }
  return value
}

/** What is known of each session; the one that was quiet for longest goes first. */
class Sessions {
  #known = new Map()

  of(id) {
    const one = this.#known.get(id) ?? {
      told: [],
      texts: new Map(),
      roles: new Map(),
      parts: new Map(),
      tools: new Set(),
      seen: new Set(),
      isHeld: false,
    }
    this.#known.delete(id)
    this.#known.set(id, one)
    if (this.#known.size > MOST_SESSIONS) this.#known.delete(this.#known.keys().next().value)
    return one
  }
}

/** The last thing that the agent said, and nobody else. */
function lastWords(session) {
  const messages = [...session.texts.keys()].filter((id) => session.roles.get(id) === "assistant")
  const parts = session.texts.get(messages.at(-1))
  return parts ? [...parts.values()].join("\n") : ""
}

/** Keep what is said and what tools give back, in order: the client has no transcript that others could read. */
function noted(session, part) {
  const { type, tool, state } = part
  if (type === "text" && !part.ignored) {
    // What the client adds to a message is nobody's word, least of all the agent's.
    session.parts.set(part.id, { messageID: part.messageID, text: part.text ?? "", isAdded: Boolean(part.synthetic) })
  } else if (type === "tool" && (state?.status === "completed" || state?.status === "error")) {
    const text = String(state.output ?? state.error ?? "").slice(0, MOST_OUTPUT)
    session.parts.set(part.id, { tool, input: { command: state.input?.command }, text })
  }
  while (session.parts.size > MOST_PARTS) {
    const [id, { tool: early }] = session.parts.entries().next().value
    if (early) session.tools.add(early)
    session.parts.delete(id)
  }
}

/** The whole session, as far as it is remembered. */
function transcript(session) {
  const early = [...session.tools].map((tool) => ({ tool, text: "" }))
  const parts = [...session.parts.values()].map(({ messageID, isAdded, ...part }) =>
    part.tool ? part : { ...part, role: isAdded ? "user" : (session.roles.get(messageID) ?? "user") },
  )
  return [...early, ...parts]
}

/** Keep the text of messages as they grow; only the last few matter. */
function heard(session, part) {
  noted(session, part)
  if (part.type !== "text" || part.synthetic || part.ignored) return
  const parts = session.texts.get(part.messageID) ?? new Map()
  parts.set(part.id, part.text ?? "")
  session.texts.set(part.messageID, parts)
  if (session.texts.size > 8) session.texts.delete(session.texts.keys().next().value)
}

/** True the first time that a session says this. Events can repeat. */
function isNew(session, key) {
  if (session.seen.has(key)) return false
  session.seen.add(key)
  if (session.seen.size > 500) session.seen.delete(session.seen.values().next().value)
  return true
}

/** A system prompt is made anew for every request, so what was told once has to be told again; the oldest goes first. */
function remember(session, context) {
  if (!context || session.told.includes(context)) return
  session.told.push(context)
  while (session.told.length > 1 && session.told.join("").length > MOST_TOLD) session.told.shift()
}

/** What a subagent brings back, with one more thing that it said. */
function withAnswer(output, said) {
  const end = output.lastIndexOf("\n</task_result>")
  if (!said) return output
  return end < 0 ? `${output}\n\n${said}` : `${output.slice(0, end)}\n\n${said}${output.slice(end)}`
}

/** Whether a request is the client's own, to find a name for the session: it is none of the agent's work. */
function isForTitle(system) {
  return /\btitle generator\b/i.test(system[0] ?? "")
}

/** A function that never throws, whatever becomes of it. */
function safe(act) {
  return async (...given) => {
    try {
      await act(...given)
    } catch {
      // The agent must not notice.
    }
  }
}

export const Hindbrain = async ({ client, directory }) => {
  const sessions = new Sessions()

  /** A subagent is a session of its own, which only its first event tells. */
  function eventOf(name, id, payload, more = {}) {
    const { parent, agent } = sessions.of(id)
    const whose = parent ? { session_id: parent, agent_id: id, agent_type: agent } : { session_id: id }
    return { hook_event_name: name, ...whose, cwd: directory, payload: bounded(payload), ...bounded(more) }
  }

  /** What is answered now is told to the agent with its next request, and with those after it. */
  async function ask(name, id, payload, more = {}) {
    const { context } = await told(eventOf(name, id, payload, more))
    remember(sessions.of(id), context)
  }

  /** Tell that a session rests, once for each time; why it may not rest yet, or nothing. */
  function rested(id) {
    const session = sessions.of(id)
    const message = lastWords(session)
    if (!message || !isNew(session, `idle ${[...session.texts.keys()].at(-1)}`)) return ""
    const more = { message, transcript: transcript(session), stop_hook_active: session.isHeld }
    const { context, decision, reason } = toldAtOnce(eventOf("session.idle", id, {}, more))
    remember(session, context)
    session.isHeld = decision === "block" && Boolean(reason)
    return session.isHeld ? reason : ""
  }

  /** What asks an agent once more, as the agent that it was. */
  function more(id, why) {
    const { mode } = sessions.of(id)
    return { path: { id }, body: { ...(mode && { agent: mode }), parts: [{ type: "text", text: why, synthetic: true }] } }
  }

  /** The client has no way to keep an agent from stopping; it can be asked once more. */
  async function goOn(id, why) {
    const session = sessions.of(id)
    if (session.parent && !session.isLeft) session.why = why // until its answer is handed over
    else await client.session.promptAsync(more(id, why))
  }

  /** A subagent's answer is about to be handed over: while its parent waits, it can be asked once more. */
  async function handedOver(input, output) {
    const id = output?.metadata?.sessionId
    if (!id || typeof output.output !== "string") return
    const session = sessions.of(id)
    session.parent ??= input.sessionID
    session.agent ??= input.args?.subagent_type ?? "subagent"
    session.isLeft = !output.output.includes('state="completed"') // it works on, and nobody waits
    for (let holds = 0; holds < MOST_HOLDS; holds++) {
      const why = session.why || rested(id)
      session.why = ""
      if (!why) return
      if (session.isLeft) return await goOn(id, why)
      const { data } = await client.session.prompt(more(id, why))
      const said = (data?.parts ?? []).filter(({ type }) => type === "text").map(({ text }) => text)
      output.output = withAnswer(output.output, said.join("\n"))
    }
  }

  const events = {
    "session.created": async ({ sessionID, info }) => {
      const id = sessionID ?? info?.id
      if (!id || !isNew(sessions.of(id), "begun")) return
      if (info?.parentID) Object.assign(sessions.of(id), { parent: info.parentID, agent: info.agent ?? "subagent" })
      await ask("session.created", id, { info })
    },
    "message.updated": async ({ info }) => {
      if (!info?.sessionID) return
      sessions.of(info.sessionID).roles.set(info.id, info.role)
      // Not what shortens the context: that speaks as an agent of the client's own.
      if (info.agent && info.role === "user") sessions.of(info.sessionID).mode = info.agent
    },
    "message.part.updated": async ({ part }) => {
      if (part?.sessionID) heard(sessions.of(part.sessionID), part)
    },
    "session.idle": async ({ sessionID }) => {
      const why = rested(sessionID)
      if (why) await goOn(sessionID, why)
    },
    "session.compacted": async ({ sessionID }) => {
      sessions.of(sessionID).told = []
      await ask("session.compacted", sessionID, {})
    },
    "session.deleted": async ({ sessionID, info }) => {
      const id = sessionID ?? info?.id
      if (id) await told(eventOf("session.deleted", id, {}))
    },
  }

  return {
    event: safe(async ({ event }) => events[event.type]?.(event.properties ?? {})),

    "chat.message": safe(async (input, output) => {
      const session = sessions.of(input.sessionID)
      const parts = (output.parts ?? []).filter((part) => !part.synthetic)
      if (parts.length && isNew(session, `message ${parts[0]?.messageID ?? parts[0]?.id}`)) {
        session.isHeld = false
        // One that began in another process: what it was told there, its system prompt has lost.
        if (isNew(session, "begun")) await ask("session.created", input.sessionID, {}, { source: "resume" })
        await ask("chat.message", input.sessionID, { input, parts })
      }
    }),

    "tool.execute.before": safe(async (input, output) => {
      await ask("tool.execute.before", input.sessionID, { input, output })
    }),

    "tool.execute.after": safe(async (input, output) => {
      if (input.tool === "task") await handedOver(input, output)
      const { context } = await told(eventOf("tool.execute.after", input.sessionID, { input, output }))
      if (!context) return
      if (typeof output.output === "string") output.output += `\n\n${context}`
      else remember(sessions.of(input.sessionID), context)
    }),

    "experimental.session.compacting": safe(async (input) => {
      await told(eventOf("experimental.session.compacting", input.sessionID, {}))
    }),

    "experimental.chat.system.transform": safe(async (input, output) => {
      if (input.sessionID && !isForTitle(output.system)) output.system.push(...sessions.of(input.sessionID).told)
    }),
  }
}
