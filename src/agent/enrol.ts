import type { EnrolmentEvent } from "../../schemas/agent-id/key-event.ts"
import type { EventReceipt } from "../../schemas/agent-id/proof.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { agentIdOf, commitmentTo } from "../core/agent-id.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestBytes } from "../core/digest.ts"
import { keyIdOf, publicJwk } from "../core/jwk.ts"
import { type EventParts, enrolmentEvent } from "../core/key-event.ts"
import { challengeToSign } from "./challenge-to-sign.ts"
import type { KeyFile } from "./forms/key-file.ts"
import { signingKey } from "./keys.ts"
import { sendProof } from "./send-proof.ts"
import { postJson, refused, type Send } from "./service-call.ts"

interface Enrolled {
  readonly agentId: string
  /** Key id of the operational key. */
  readonly keyId: string
  readonly profile: object
  readonly head: { readonly sequence: number; readonly event_digest: string; readonly receipt: EventReceipt }
}

interface EnrolInput {
  readonly keys: KeyFile
  /** Origin of the service, without a path. */
  readonly server: string
  readonly send: Send
  /** Stores a challenge before its proof is sent, so that the call can be repeated after a lost answer. */
  readonly remember: (pending: EnrolmentEvent) => void | Promise<void>
}

/**
 * Makes the two calls of an enrolment. Throws CommandError: 3 if the service refused or its answer is false, 4 if the service could not be
 * reached.
 */
export async function enrol({ keys, server, send, remember }: EnrolInput): Promise<Enrolled> {
  const operational = signingKey(keys.operational)
  const recovery = signingKey(keys.recovery)
  const next = keys.next ? commitmentTo(keyIdOf(signingKey(keys.next).x)) : null
  const own = { operationalX: operational.x, recoveryX: recovery.x, nextOperationalKeyDigest: next }
  const expected = (parts: EventParts) => enrolmentEvent({ ...parts, ...own })
  const prove = async (event: EnrolmentEvent): Promise<Enrolled | null> => {
    const signers = [
      { role: "OPERATIONAL", key: operational },
      { role: "RECOVERY", key: recovery },
    ] as const
    const answer = await sendProof(send, server, event, signers)
    if (!answer) return null
    const event_digest = digestBytes(canonicalize(event))
    if (answer.result !== "ENROLLED")
      throw new CommandError(EXIT.INVALID, "the server's response to the proof is not an enrolment")
    // Recompute the agent id: it is the digest of the event that the agent signed.
    if (answer.agent_id !== agentIdOf(event_digest)) {
      throw new CommandError(EXIT.INVALID, "the server returned an agent id that is not the digest of the signed event")
    }
    const { agent_id: agentId, profile, receipt } = answer
    return { agentId, keyId: operational.keyId, profile, head: { sequence: event.sequence, event_digest, receipt } }
  }

  if (keys.pending && keys.pending.audience === server) {
    const enrolled = await prove(challengeToSign({ challenge: keys.pending }, server, expected))
    if (enrolled) return enrolled
  }
  const response = await postJson(send, `${server}/v1/agent-identities/challenges`, {
    schema_version: "1.0.0",
    purpose: "ENROLLMENT",
    operational_public_jwk: publicJwk(operational.x),
    recovery_public_jwk: publicJwk(recovery.x),
    next_operational_key_digest: next,
  })
  if (response.status !== 201) throw refused("challenge", response)
  const event = challengeToSign(response.body, server, expected)
  await remember(event)
  const enrolled = await prove(event)
  if (!enrolled) throw new CommandError(EXIT.NOT_CHECKED, "the challenge ended before its proof arrived; try again")
  return enrolled
}
