/**
 * Reads the service's own identities in a bundle. They define who may sign statements and checkpoints, by the same rules as the keys of an
 * agent.
 */

import type { AgentExportBundle } from "../../../../schemas/agent-id/export.ts"
import type { KeyState } from "../../../core/identity-state.ts"
import { ownAudience } from "../../../core/own-audience.ts"
import { instant, parseInstant, SECOND } from "../../../core/time.ts"
import { must } from "../fault.ts"
import { type History, type HistoryEvent, isCompromisedAt, readHistory } from "./history.ts"

export interface ServiceKeys {
  readonly issuer: string
  readonly statements: readonly History[]
  readonly logs: readonly History[]
  /** The time when a statement key expires, or null if the key set does not state it. */
  expiryOf(keyId: string): number | null
  /** True if the service disowns the statement key's signature at that time, by an event or in its key set. */
  isDisowned(key: KeyState, at: number): boolean
  /** Log index of the event that ended the use of the key. */
  retiredAt(keyId: string): number | null
}

/** Throws Fault. The log steps prove that these histories come from the log and not from a forger. */
export async function readServiceKeys({ service_keys, signature }: AgentExportBundle): Promise<ServiceKeys> {
  const { issuer } = signature
  const statements: History[] = []
  const logs: History[] = []
  const ids = new Set<string>()
  for (const { agent_id, use, events } of service_keys.key_event_log) {
    must(!ids.has(agent_id), "SERVICE_IDENTITY_TWICE", "The bundle has a service identity twice.")
    ids.add(agent_id)
    const history = await readHistory(agent_id, events)
    // Only the service enrols under this audience. The events of an agent contain the service's address.
    const own = events.every(({ event }) => event.audience === ownAudience(issuer, use))
    must(own, "SERVICE_AUDIENCE", `${agent_id} is not the ${use} identity of the issuer that signed the bundle.`)
    ;(use === "log" ? logs : statements).push(history)
  }
  must(statements.length > 0 && logs.length > 0, "SERVICE_KEYS_INCOMPLETE", "Statement or log keys are missing.")
  requireKeySet(service_keys.jwks, statements)
  const listed = new Map(service_keys.jwks.keys.map((key) => [key.kid, key]))
  return {
    issuer,
    statements,
    logs,
    expiryOf: (keyId) => {
      const key = listed.get(keyId)
      return key ? key.exp * SECOND : null
    },
    isDisowned: (key, at) => {
      const since = listed.get(key.keyId)?.svc_revoked_since
      return isCompromisedAt(key, at) || (since !== undefined && instant(since) <= at)
    },
    retiredAt: (keyId) => retiredAt(statements, keyId),
  }
}

type KeySet = AgentExportBundle["service_keys"]["jwks"]

/**
 * The key set must not state more than the histories, with one exception: it alone states that a rotated key was revoked, because events
 * revoke only active keys.
 */
function requireKeySet({ keys }: KeySet, statements: readonly History[]): void {
  const operational = statements.flatMap(({ state }) => state.keys).filter(({ role }) => role === "OPERATIONAL")
  for (const { kid, x, svc_status, svc_revoked_since } of keys) {
    const key = operational.find(({ keyId }) => keyId === kid)
    const same = svc_status === key?.status || (svc_status === "REVOKED" && key?.status === "ROTATED")
    must(key?.x === x && same, "KEY_SET_DIFFERS", "The key set and the histories disagree.")
    const told = svc_revoked_since === undefined || parseInstant(svc_revoked_since) !== null
    must(told, "KEY_SET_DIFFERS", "The key set names an instant that is not in the calendar.")
  }
  const listed = new Set(keys.map(({ kid }) => kid))
  const complete = operational.every(({ keyId }) => listed.has(keyId)) && listed.size === keys.length
  must(complete, "KEY_SET_DIFFERS", "The key set lacks a key, or has one twice.")
}

function retiredAt(statements: readonly History[], keyId: string): number | null {
  const retired = ({ state }: HistoryEvent) => state.keys.some((key) => key.keyId === keyId && key.status !== "ACTIVE")
  for (const { events } of statements) {
    const ended = events.find(retired)
    if (ended) return ended.receipt.payload.log_index
  }
  return null
}
