import type { TSchema } from "@sinclair/typebox"
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler"
import type { KeyEvent, SigningRole } from "../../schemas/agent-id/key-event.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestBytes } from "../core/digest.ts"
import { signWith } from "../core/ed25519.ts"
import { ProofResult } from "./forms/proof-result.ts"
import type { SigningKey } from "./keys.ts"
import { postJson, refused, type Send, type ServiceReply } from "./service-call.ts"

const checkResult: TypeCheck<TSchema> = TypeCompiler.Compile<TSchema>(ProofResult)

/** Errors of challenges that can no longer be proved: their event was not accepted, and a new challenge is needed. */
const GONE = new Set(["CHALLENGE_NOT_FOUND", "CHALLENGE_EXPIRED", "CHALLENGE_LOCKED", "CHALLENGE_SUPERSEDED"])

/**
 * Signs the event with the key of each role, and sends the proof to the user's origin, never to an address in an answer. Returns null if
 * the challenge is gone. Throws CommandError: 3 if the service refused or its answer is false, 4 if the service could not be reached.
 */
export async function sendProof(
  send: Send,
  server: string,
  event: KeyEvent,
  signers: readonly { readonly role: SigningRole; readonly key: SigningKey }[],
): Promise<ProofResult | null> {
  const text = canonicalize(event)
  const digest = digestBytes(text)
  const reply: ServiceReply = await postJson(
    send,
    `${server}/v1/agent-identities/challenges/${event.challenge_id}/prove`,
    {
      schema_version: "1.0.0",
      challenge_digest: digest,
      signatures: signers.map(({ role, key }) => ({
        role,
        key_id: key.keyId,
        algorithm: "Ed25519",
        value: signWith(key.privateKey, text),
      })),
    },
  )
  if (reply.code && GONE.has(reply.code)) return null
  if (reply.status !== 200) throw refused("proof", reply)
  if (!isProofResult(reply.body))
    throw new CommandError(EXIT.INVALID, "the server's response to the proof is not a result")
  const { payload } = reply.body.receipt
  if (payload.event_digest !== digest || payload.sequence !== event.sequence) {
    throw new CommandError(EXIT.INVALID, "the server's receipt is for another event than the one that was signed")
  }
  return reply.body
}

function isProofResult(body: unknown): body is ProofResult {
  return checkResult.Check(body)
}
