/**
 * Compares a bundle with what its holder already knows. An outdated bundle verifies like a new one. Only earlier knowledge and the age
 * reveal the difference.
 */
import type { EventReceiptPayload } from "../../../../schemas/agent-id/proof.ts"
import { decodeBase64, sameBytes } from "../../../core/bytes.ts"
import { type Checkpoint, readCheckpoint } from "../../../core/checkpoint.ts"
import { verifyConsistency } from "../../../core/merkle-tree.ts"
import { sha256 } from "../../portable/encoding.ts"
import { must } from "../fault.ts"
import type { History } from "./history.ts"

/** The members of an event that its receipt states. */
export type KnownEvent = Pick<
  EventReceiptPayload,
  "agent_id" | "sequence" | "event_digest" | "accepted_at" | "log_index"
>

export interface RememberedCheckpoint {
  readonly checkpoint: Checkpoint
  /** RFC 6962 consistency path from that checkpoint to the bundle's checkpoint, if the holder fetched one. */
  readonly consistencyPath: readonly string[] | null
  /** The newest event of the earlier bundle that contained the checkpoint. Null if no bundle contained it. */
  readonly newest: KnownEvent | null
}

export interface HolderKnowledge {
  readonly since: RememberedCheckpoint | null
  readonly head: string | null
  readonly minSequence: number | null
  readonly receipt: KnownEvent | null
  readonly requireActive: boolean
}

export function knowsNothing({ since, head, minSequence, receipt, requireActive }: HolderKnowledge): boolean {
  return since === null && head === null && minSequence === null && receipt === null && !requireActive
}

/** Throws Fault if the bundle contradicts what the holder knows. Otherwise returns descriptions of what was compared. */
export function requireKnowledge(known: HolderKnowledge, history: History, checkpoint: Checkpoint): string[] {
  const compared: string[] = []
  const { state, events } = history
  if (known.since) compared.push(...requireRemembered(known.since, history, checkpoint))
  if (known.head !== null) {
    const found = events.some(({ digest }) => digest === known.head)
    must(
      found,
      "HEAD_NOT_IN_HISTORY",
      "The event the holder knows is not in the bundle: it is older, or events were dropped.",
    )
    compared.push("the known event is in the history")
  }
  if (known.minSequence !== null) {
    must(
      state.sequence >= known.minSequence,
      "SEQUENCE_TOO_LOW",
      `The bundle ends at sequence ${state.sequence}, before the ${known.minSequence} the holder knows of.`,
    )
    compared.push(`sequence ${state.sequence} is not below ${known.minSequence}`)
  }
  if (known.receipt) {
    must(
      known.receipt.agent_id === history.agentId,
      "RECEIPT_OF_ANOTHER_AGENT",
      "The holder's receipt is of another identity.",
    )
    must(
      isShown(known.receipt, history),
      "RECEIPT_CONTRADICTS_BUNDLE",
      "The event of the holder's receipt is not in the bundle as it was accepted: the bundle is older, or the log was rewritten.",
    )
    compared.push(`the receipt's event has sequence ${known.receipt.sequence}`)
  }
  if (known.requireActive) {
    const usable = state.keys.some(({ role, status }) => role === "OPERATIONAL" && status === "ACTIVE")
    must(usable, "IDENTITY_NOT_ACTIVE", "The identity has no ACTIVE operational key.")
    compared.push("an operational key is ACTIVE")
  }
  return compared
}

/**
 * True for the same event, accepted at the same time, at the same index of the log. The index matters: removing another agent's event from
 * the log moves all later events, and an agent that kept its receipt can detect this.
 */
function isShown(known: KnownEvent, { events }: History): boolean {
  const shown = events[known.sequence]?.receipt.payload
  return (
    shown?.event_digest === known.event_digest &&
    shown.accepted_at === known.accepted_at &&
    shown.log_index === known.log_index
  )
}

function requireRemembered(
  { checkpoint: old, consistencyPath, newest }: RememberedCheckpoint,
  history: History,
  now: Checkpoint,
): string[] {
  must(
    old.origin === now.origin,
    "ANOTHER_LOG",
    `The remembered checkpoint is of ${old.origin}, and this one of ${now.origin}. If the log was renamed, only an audit of the whole log compares them.`,
  )
  must(
    now.size >= old.size,
    "OLDER_THAN_REMEMBERED",
    `The checkpoint has ${now.size} leaves, fewer than the ${old.size} remembered: an old bundle is being replayed.`,
  )
  const compared = [requireTree(old, consistencyPath, now)]
  if (newest?.agent_id !== history.agentId) return compared
  must(
    isShown(newest, history),
    "HISTORY_CONTRADICTS_REMEMBERED",
    "The newest event of the earlier bundle is not in this one: with both bundles this proves two histories of one identity.",
  )
  return [...compared, "the history goes on from that of the earlier bundle"]
}

/** Throws Fault if the trees contradict each other. */
function requireTree(old: Checkpoint, consistencyPath: readonly string[] | null, now: Checkpoint): string {
  if (now.size === old.size) {
    must(
      sameBytes(now.rootHash, old.rootHash),
      "SPLIT_VIEW",
      "Two roots for one tree size: with both signed notes this proves that the log shows different trees.",
    )
    return "the checkpoint is the remembered one"
  }
  if (consistencyPath === null)
    return `the tree is larger than the remembered ${old.size}; no proof shows that it contains it`
  const path = consistencyPath.map((hash) => decodeBase64(hash, 32))
  const proof = { from: old.size, fromRootHash: old.rootHash, to: now.size, toRootHash: now.rootHash }
  const holds = path.every((hash) => hash !== null) && verifyConsistency(sha256, { ...proof, path })
  must(holds, "NOT_CONSISTENT", "The tree does not contain the remembered one: the log was rewritten.")
  return `the tree contains the remembered one of ${old.size} leaves`
}

/**
 * Reads the text of a remembered note, or returns null if it is no note. It does not check the signature, because the holder trusts its own
 * file.
 */
export function readRemembered(note: string): Checkpoint | null {
  const cut = note.lastIndexOf("\n\n")
  return cut === -1 ? readCheckpoint(note) : readCheckpoint(note.slice(0, cut + 1))
}
