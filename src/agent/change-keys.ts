/**
 * Changes the keys of an enrolled agent in two calls, and writes the key file before and after the second call. So after a lost answer or a
 * kill, either file that can be on disk holds every key that can be in force.
 */
import type { KeyEvent, SigningRole } from "../../schemas/agent-id/key-event.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { commitmentTo } from "../core/agent-id.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestBytes } from "../core/digest.ts"
import { keyIdOf } from "../core/jwk.ts"
import { changeEvent, eventKeyOf, type HistoryHead } from "../core/key-event.ts"
import { requiredRoles } from "../core/key-history.ts"
import { challengeToSign } from "./challenge-to-sign.ts"
import type { KeyFile, PrivateJwk } from "./forms/key-file.ts"
import type { ProofResult } from "./forms/proof-result.ts"
import { type Random, type SigningKey, signingKey } from "./keys.ts"
import { sendProof } from "./send-proof.ts"
import { postJson, refused, type Send } from "./service-call.ts"
import { challengeBody, isWanted, keysFor, type PendingKeys, requestFor, type WantedChange } from "./wanted-change.ts"

interface ChangeInput {
  readonly keys: KeyFile
  readonly wanted: WantedChange
  readonly send: Send
  readonly random: Random
  /** Replaces the key file. It is durable when this returns. */
  readonly keep: (keys: KeyFile) => void | Promise<void>
}

export interface Changed {
  /** The keys as stored. */
  readonly keys: KeyFile
  readonly event: KeyEvent
  readonly answer: ProofResult
}

/**
 * First settles an event that an earlier run left pending: if it was accepted, its keys are in force; if its challenge is gone, it never
 * takes effect. Throws CommandError: 2 if this file cannot request the change, 3 if the service refused or its answer is false, 4 if the
 * service could not be reached.
 */
export async function changeKeys(input: ChangeInput): Promise<Changed> {
  const { wanted, send } = input
  let keys = input.keys
  if (enrolment(keys) && keys.pending) {
    const settled = await settle(input, keys, keys.pending, keys.pending_keys ?? {})
    if (settled && isWanted(settled.event.change, wanted)) return settled
    keys = settled?.keys ?? keys
  }
  const { server, agentId, head } = changeable(keys)
  const brought = keysFor(wanted, keys, input.random)
  const request = requestFor(wanted, brought)
  const response = await postJson(send, `${server}/v1/agent-identities/challenges`, challengeBody(agentId, request))
  if (response.status !== 201) throw refused("challenge", response)
  const event = challengeToSign(response.body, server, (parts) => changeEvent(head, request, parts))
  const pending: KeyFile = { ...keys, pending: event, pending_keys: brought }
  await input.keep(pending)
  const changed = await settle(input, pending, event, brought)
  if (!changed) throw new CommandError(EXIT.NOT_CHECKED, "the challenge ended before its proof arrived; try again")
  return changed
}

interface Enrolment {
  readonly server: string
  readonly agentId: string
  readonly head: NonNullable<KeyFile["head"]>
}

function enrolment({ server, agent_id: agentId, head }: KeyFile): Enrolment | null {
  return server === undefined || agentId === undefined || head === undefined ? null : { server, agentId, head }
}

/** Returns the head that the next event builds on, from the agent's own file. Throws CommandError (2) if there is none. */
function changeable(keys: KeyFile): { server: string; agentId: string; head: HistoryHead } {
  const enrolled = enrolment(keys)
  if (!enrolled) {
    const why =
      keys.agent_id === undefined
        ? "are not enrolled; run bizauth agent enroll first"
        : "lack the newest event of their identity"
    throw new CommandError(EXIT.USAGE, `these keys ${why}`)
  }
  if (keys.revoked === "IDENTITY") throw new CommandError(EXIT.USAGE, "this identity is revoked permanently")
  const { server, agentId, head } = enrolled
  const operational = eventKeyOf(signingKey(keys.operational).x)
  return {
    server,
    agentId,
    head: {
      agentId,
      sequence: head.sequence,
      eventDigest: head.event_digest,
      operational: keys.revoked ? null : operational,
      lastOperationalKeyId: operational.key_id,
      recovery: eventKeyOf(signingKey(keys.recovery).x),
      nextOperationalKeyDigest: keys.next ? commitmentTo(keyIdOf(signingKey(keys.next).x)) : null,
    },
  }
}

/** Proves the pending event and stores the resulting keys. Returns null if its challenge is gone. */
async function settle(
  { send, keep }: ChangeInput,
  keys: KeyFile,
  event: KeyEvent,
  brought: PendingKeys,
): Promise<Changed | null> {
  const signers = requiredRoles(event.change).map((role) => ({ role, key: signerOf(role, keys, brought) }))
  const answer = await sendProof(send, event.audience, event, signers)
  if (!answer) return null
  if (answer.agent_id !== event.agent_id) {
    throw new CommandError(EXIT.INVALID, "the server responded for another identity than the one in the signed event")
  }
  const changed = settledKeys(keys, event, brought, answer)
  await keep(changed)
  return { keys: changed, event, answer }
}

function signerOf(role: SigningRole, keys: KeyFile, brought: PendingKeys): SigningKey {
  const jwks: Readonly<Record<SigningRole, PrivateJwk | undefined>> = {
    OPERATIONAL: keys.operational,
    RECOVERY: keys.recovery,
    NEW_OPERATIONAL: brought.operational,
    NEW_RECOVERY: brought.recovery,
  }
  const jwk = jwks[role]
  if (!jwk) throw new CommandError(EXIT.INVALID, `the key file lacks the ${role} key of its pending event`)
  return signingKey(jwk)
}

/** Returns the file after an accepted event. A replaced key is removed, because it can no longer sign anything. */
function settledKeys(keys: KeyFile, event: KeyEvent, brought: PendingKeys, { receipt }: ProofResult): KeyFile {
  const { pending: _, pending_keys: __, next, revoked, ...kept } = keys
  const head = { sequence: event.sequence, event_digest: digestBytes(canonicalize(event)), receipt }
  const operational = brought.operational ?? keys.operational
  switch (event.change.kind) {
    case "ENROLL":
      throw new CommandError(EXIT.INVALID, "the pending event of this file is an enrolment; run bizauth agent enroll")
    case "ROTATE_OPERATIONAL":
      return {
        ...{ ...kept, head, operational, key_id: keyIdOf(signingKey(operational).x) },
        ...(brought.next && { next: brought.next }),
      }
    case "ROTATE_RECOVERY":
      return {
        ...{ ...kept, head, recovery: brought.recovery ?? keys.recovery },
        ...(next && { next }),
        ...(revoked && { revoked }),
      }
    case "REVOKE_OPERATIONAL":
      return { ...kept, head, revoked: "OPERATIONAL" }
    case "REVOKE_IDENTITY":
      return { ...kept, head, revoked: "IDENTITY" }
  }
}
