/**
 * Checks what the service itself signed in a bundle: receipts, the status and the bundle. Each needs a statement key that was in use at
 * that time.
 */
import type { AgentExportBundle, LoggedEvent } from "../../../../schemas/agent-id/export.ts"
import type { SignatureObject } from "../../../../schemas/common.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import type { Checkpoint } from "../../../core/checkpoint.ts"
import { instant, SECOND } from "../../../core/time.ts"
import { verifySignature } from "../../portable/crypto.ts"
import { digestText, hashOfText } from "../../portable/encoding.ts"
import { Fault, must } from "../fault.ts"
import { HAND_OVER_MS, type History, keyInUse } from "./history.ts"
import type { ServiceKeys } from "./service-keys.ts"
import type { SigningTime } from "./transparency.ts"

interface Signed {
  readonly payload: unknown
  readonly digest: string
  readonly signature: SignatureObject
}

interface SignedText extends Pick<Signed, "signature"> {
  readonly text: string
  /** What the text is, in the words of a fault. */
  readonly of: string
}

/** Throws Fault unless a statement key of the issuer that was in use then signed the text. Returns whether the key was disowned later. */
async function requireSignature(
  { text, signature, of }: SignedText,
  service: ServiceKeys,
  { from, to }: SigningTime,
): Promise<{ readonly disowned: boolean }> {
  must(signature.issuer === service.issuer, "ISSUER_DIFFERS", `The ${of} names another issuer.`)
  const key = keyInUse(service.statements, signature.key_id, from, to)
  const expiry = service.expiryOf(key.keyId)
  must(expiry === null || from <= expiry, "SIGNING_KEY_EXPIRED", `The ${of} was signed after its key expired.`)
  const genuine = await verifySignature(key.x, text, signature.value)
  must(genuine, "STATEMENT_SIGNATURE_INVALID", `The signature of the ${of} does not verify.`)
  return { disowned: service.isDisowned(key, to) }
}

async function requireSigned(
  { payload, digest, signature }: Signed,
  service: ServiceKeys,
  time: SigningTime,
  of: string,
) {
  const text = canonicalize(payload)
  const same = digest === digestText(hashOfText(text))
  must(same, "DIGEST_MISMATCH", `The digest of the ${of} is not that of its payload.`)
  return requireSignature({ text, signature, of }, service, time)
}

/** Throws Fault unless the receipt covers exactly this event and the service signed it. */
export async function requireReceipt(history: History, event: LoggedEvent & { digest: string }, service: ServiceKeys) {
  const { payload } = event.receipt
  const of = `receipt of event ${event.event.sequence} of ${history.agentId}`
  const same =
    payload.agent_id === history.agentId &&
    payload.sequence === event.event.sequence &&
    payload.event_digest === event.digest
  must(same, "RECEIPT_OF_ANOTHER_EVENT", `The ${of} is about another event.`)
  const at = instant(payload.accepted_at)
  const retired = service.retiredAt(event.receipt.signature.key_id)
  const loggedBefore = retired !== null && payload.log_index < retired
  // Each process dates an event by the time at which it began to handle the event. So an event can have a time just after that of a
  // revocation that is logged later.
  const from = loggedBefore ? at - HAND_OVER_MS : at
  const { disowned } = await requireSigned(event.receipt, service, { from, to: at }, of)
  if (!disowned) return
  // A signature by a revoked key is valid only if the log included it before the revocation (rulings 18). The order of the log proves that
  // the event was there while the key was in use. The event's own window, which its keys signed, limits how far a thief of the statement
  // key could falsify the time: ten minutes.
  must(
    loggedBefore,
    "RECEIPT_KEY_COMPROMISED",
    `The ${of} is by a revoked key, and the log does not show the event before the revocation of that key.`,
  )
}

/** What the events and the log of a bundle prove, without the status. */
interface ProvedState {
  readonly history: History
  readonly checkpoint: Checkpoint
}

/** Throws Fault unless the signed status agrees with the history and the checkpoint. */
export async function requireStatus(
  { status }: AgentExportBundle,
  { history, checkpoint }: ProvedState,
  service: ServiceKeys,
  time: SigningTime,
): Promise<void> {
  const { payload } = status
  const { state } = history
  const { disowned } = await requireSigned(status, service, time, "status")
  must(!disowned, "STATUS_KEY_COMPROMISED", "The status is by a key claimed to have been compromised at that time.")
  if (payload.freshness.status !== "FRESH") {
    throw new Fault(
      "STATUS_NOT_FRESH",
      `The service states that its status is ${payload.freshness.status}.`,
      "NOT_CHECKED",
    )
  }
  const same =
    payload.agent_id === state.agentId &&
    payload.identity_status === state.identityStatus &&
    payload.sequence === state.sequence &&
    payload.head_event_digest === state.headEventDigest
  must(same, "STATUS_DIFFERS", "The status names another head or state than the history has.")
  const named = payload.keys.map(({ key_id, role, status: now, since }) => ({ key_id, role, status: now, since }))
  const derived = state.keys.map(({ keyId, role, status: now, since }) => ({ key_id: keyId, role, status: now, since }))
  must(
    canonicalize(named) === canonicalize(derived),
    "STATUS_KEYS_DIFFER",
    "The status lists other keys than the history.",
  )
  must(
    payload.log?.origin === checkpoint.origin && payload.log.tree_size === checkpoint.size,
    "STATUS_OF_ANOTHER_TREE",
    "The status was made at another size of the log than the checkpoint's.",
  )
}

/** Throws Fault unless digest and signature cover the bundle without those two members (rulings 23). */
export async function requireBundleSignature(
  bundle: AgentExportBundle,
  service: ServiceKeys,
  time: SigningTime,
): Promise<void> {
  const { bundle_digest, signature, ...covered } = bundle
  const text = canonicalize(covered)
  const same = bundle_digest === digestText(hashOfText(text))
  must(same, "BUNDLE_DIGEST_MISMATCH", "The digest of the bundle is not that of its content.")
  const { disowned } = await requireSignature({ text, signature, of: "bundle" }, service, time)
  must(!disowned, "BUNDLE_KEY_COMPROMISED", "The bundle is by a key claimed to have been compromised at that time.")
}

/** Allowed clock skew (wire.md, "Common rules"). */
const SKEW_MS = 30 * SECOND

/** Throws Fault unless the times are in order and none is ahead of the verifier's clock. */
export function requireTimes(bundle: AgentExportBundle, histories: readonly History[], at: number): void {
  const { exported_at, status, status_as_of, agent_id } = bundle
  const exported = instant(exported_at)
  const { as_of, fresh_until } = status.payload
  must(status_as_of.as_of === as_of, "AS_OF_DIFFERS", "The bundle and its status name different instants.")
  const uri = `/v1/agent-identities/${agent_id}/status`
  must(status_as_of.online_status_uri.endsWith(uri), "STATUS_URI_DIFFERS", "The status URI is of another identity.")
  const asOf = instant(as_of)
  must(
    asOf <= exported && exported < instant(fresh_until),
    "EXPORTED_OUTSIDE_STATUS",
    "Not exported while its status held.",
  )
  for (const { agentId, state } of histories) {
    const accepted = instant(state.headAcceptedAt)
    const last = agentId === agent_id ? asOf : exported
    must(accepted <= last, "EVENT_AFTER_STATUS", `An event of ${agentId} is later than what the bundle was made from.`)
  }
  must(exported <= at + SKEW_MS, "FROM_THE_FUTURE", "The bundle is later than the time it is judged at.")
}
