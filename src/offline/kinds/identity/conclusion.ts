/** The verdict as returned: the result, what it proves and what it does not prove. */

import type { AgentExportBundle } from "../../../../schemas/agent-id/export.ts"
import { encodeBase64 } from "../../../core/bytes.ts"
import type { Checkpoint } from "../../../core/checkpoint.ts"
import type { KeyState } from "../../../core/identity-state.ts"
import { formatInstant, instant, SECOND } from "../../../core/time.ts"
import type { Conclusion } from "../../report.ts"
import type { History } from "../../steps/identity/history.ts"
import { knowsNothing } from "../../steps/identity/holder.ts"
import type { Terms } from "../../steps/options.ts"
import type { Run, Step } from "../../steps/run.ts"

const PROCEDURE = "SVC-AGENT-BUNDLE-VERIFY-1"

/** The steps in order. Every verdict names each step. HOLDER is present only if the holder knows something. */
export const STEPS = [
  "BYTES",
  "SHAPE",
  "KEY_EVENTS",
  "SERVICE_KEYS",
  "CHECKPOINT",
  "LOG_KEY",
  "INCLUSION",
  "CURRENCY",
  "RECEIPTS",
  "STATUS",
  "BUNDLE_SIGNATURE",
  "TIMES",
  "AGE",
  "HOLDER",
] as const
export type StepName = (typeof STEPS)[number]

/**
 * PINNED_LOG: trust comes from the log whose key the caller pinned. CONSISTENT_ONLY: the bundle is consistent with itself, and anybody
 * could have made it.
 */
type Trust = "PINNED_LOG" | "CONSISTENT_ONLY"

export interface IdentityFacts {
  readonly agent_id: string
  readonly identity_status: "ACTIVE" | "REVOKED"
  readonly sequence: number
  readonly head_event_digest: string
  readonly keys: readonly {
    readonly key_id: string
    readonly role: KeyState["role"]
    readonly x: string
    readonly status: KeyState["status"]
    readonly since: string
    readonly until: string | null
    /** CLAIMED by the owner, never proved. */
    readonly compromise_suspected_since: string | null
  }[]
}

export interface IdentityConclusion {
  readonly version: 1
  readonly procedure: typeof PROCEDURE
  readonly result: Conclusion
  /** Null for an INVALID result or one without a checkpoint. */
  readonly trust: Trust | null
  readonly judged_at: string
  /** True if `at` was given. Then the verdict does not apply to the present. */
  readonly historical: boolean
  /** Time of the signed status, or null if there is no readable status. */
  readonly current_as_of: string | null
  readonly age_seconds: number | null
  readonly log: { readonly origin: string; readonly tree_size: number; readonly root_hash: string } | null
  /** Null if any step is INVALID, so that no caller reads keys from a forged bundle. */
  readonly identity: IdentityFacts | null
  readonly steps: readonly Step<StepName>[]
  readonly proven: readonly string[]
  readonly not_proven: readonly string[]
}

interface Findings {
  readonly bundle: AgentExportBundle | null
  readonly history: History | null
  readonly checkpoint: Checkpoint | null
}

export function conclude(
  { result, steps }: Run<StepName>,
  { bundle, history, checkpoint }: Findings,
  terms: Terms,
): IdentityConclusion {
  const sound = result !== "INVALID" && checkpoint !== null && history !== null && bundle !== null
  const asOf = bundle?.status.payload.as_of ?? null
  const identity = sound ? identityFacts(history) : null
  const trust = !sound ? null : terms.logKey ? "PINNED_LOG" : "CONSISTENT_ONLY"
  return {
    version: 1,
    procedure: PROCEDURE,
    result,
    trust,
    judged_at: formatInstant(terms.at),
    historical: terms.atGiven,
    current_as_of: asOf,
    age_seconds: asOf === null ? null : ageSeconds(asOf, terms.at),
    log: sound
      ? { origin: checkpoint.origin, tree_size: checkpoint.size, root_hash: encodeBase64(checkpoint.rootHash) }
      : null,
    identity,
    steps,
    proven: identity && trust ? proven(identity, trust, { asOf: asOf ?? "", size: checkpoint?.size ?? 0 }) : [],
    not_proven:
      trust && checkpoint
        ? notProven(trust, terms, checkpoint)
        : ["Anything: not every step about the history and the log passed."],
  }
}

/**
 * Returns seconds from the status to the time of judgement. If the local clock is behind the service's clock within the allowed skew, the
 * result is zero.
 */
export function ageSeconds(asOf: string, at: number): number {
  return Math.max(0, Math.floor((at - instant(asOf)) / SECOND))
}

function identityFacts({ state }: History): IdentityFacts {
  return {
    agent_id: state.agentId,
    identity_status: state.identityStatus,
    sequence: state.sequence,
    head_event_digest: state.headEventDigest,
    keys: state.keys.map(({ keyId, role, x, status, since, until, compromisedSince }) => ({
      key_id: keyId,
      role,
      x,
      status,
      since,
      until,
      compromise_suspected_since: compromisedSince,
    })),
  }
}

function proven(identity: IdentityFacts, trust: Trust, { asOf, size }: { asOf: string; size: number }): string[] {
  const log = trust === "PINNED_LOG" ? "The pinned log" : "The log the bundle itself names"
  return [
    `The keys of ${identity.agent_id} signed each of its events; the id is the hash of the first.`,
    `${log} states, signed, that these events are in it and that the identity had no newer one. CURRENT AS OF ${asOf}, tree size ${size}.`,
  ]
}

/** Every verdict states this, so that nobody reads more into a valid bundle (rulings 21). */
function notProven(trust: Trust, terms: Terms, { size }: Checkpoint): string[] {
  const { since } = terms
  return [
    ...(trust === "CONSISTENT_ONLY"
      ? ["Whose log this is: without a pinned log key anybody could have made the whole bundle."]
      : []),
    "Anything after the status: a later rotation or revocation is not visible in this bundle.",
    "That the log's map is honest: that takes auditing the log's tiles (bizauth log audit) or a receipt the agent kept.",
    "That the checkpoint is as new as the status: a checkpoint names no time, so its age rests on the key that signed the status.",
    "That the log shows everybody the same tree: without witnesses nothing here protects against split views.",
    ...(since && since.consistencyPath === null && since.checkpoint.size < size
      ? ["That the log contains the remembered tree: it is larger, and no consistency path was given."]
      : []),
    ...(knowsNothing(terms)
      ? ["That no newer bundle exists: nothing was compared with what the holder remembers."]
      : []),
    "More than key control: no legal identity, authority, truth, reputation or outcome.",
  ]
}
