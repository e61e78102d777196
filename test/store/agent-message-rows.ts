/** Messages of one agent by their names, and what the store knows of them. */
import { markOf } from "../../src/agent-mode/conversation/messages/message-marks.ts"
import { readMessageFacts } from "../../src/store/agent-mode/message-facts.ts"
import type { Store } from "../../src/store/engine/unit.ts"
import type { Beside } from "../fixtures/test-database.ts"

export const AGENT = `svc:agent:${"A".repeat(26)}qqqqqq`

export const at = (second: number) => new Date(Date.UTC(2026, 0, 1, 0, 0, second)).toISOString()

export type Messages = Pick<Beside, "rows"> & { readonly store: Store }

/** `event`: which the message counted. Without `nonce`, the nonce has the name of the message. */
export interface Named {
  readonly nonce?: string
  readonly event?: string
}

export const keyOf = (name: string) => markOf({ agent_id: AGENT, domain: "domain", idempotency_key: name })
export const nonceOf = (nonce: string) => markOf({ agent_id: AGENT, key_id: "key", nonce })
export const eventOf = (name: string) => markOf({ agent_id: AGENT, event_id: name })

export function marksOf(name: string, { nonce = name, event }: Named) {
  return { keyMark: keyOf(name), nonceMark: nonceOf(nonce), eventMark: event ? eventOf(event) : null }
}

export function factsOf({ store }: Messages, name: string, now: string, named: Named = {}) {
  const marks = marksOf(name, named)
  return store.read(() => readMessageFacts({ agentId: AGENT, keyId: "", ...marks, consentId: "", day: "", at: now }))
}

/** Names of the kept messages, and the number of marks. */
export async function keptBy({ rows }: Messages) {
  const kept = await rows<{ response: string }>("SELECT response FROM agent_message ORDER BY id")
  const marks = await rows("SELECT mark FROM agent_message_mark")
  return { names: kept.map((row) => row.response.split(" until ")[0]), marks: marks.length }
}
