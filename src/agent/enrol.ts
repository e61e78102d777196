import { type Static, Type } from "@sinclair/typebox"
import { TypeCompiler } from "@sinclair/typebox/compiler"
import type { EnrolmentEvent } from "../../schemas/agent-id/key-event.ts"
import { AgentId } from "../../schemas/common.ts"
import { CommandError, EXIT } from "../cli/exit.ts"
import { agentIdOf } from "../core/agent-id.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { digestBytes } from "../core/digest.ts"
import { signWith } from "../core/ed25519.ts"
import { publicJwk } from "../core/jwk.ts"
import { challengeToSign } from "./challenge-to-sign.ts"
import { type KeyFile, type SigningKey, signingKey } from "./key-file.ts"
import { postJson, refused, type Send, type ServiceAnswer } from "./service-call.ts"

const Result = Type.Object({ result: Type.Literal("ENROLLED"), agent_id: AgentId, profile: Type.Object({}) })
const checkResult = TypeCompiler.Compile(Result)

export interface Enrolled {
  readonly agentId: string
  /** Of the operational key. */
  readonly keyId: string
  readonly profile: object
}

export interface EnrolInput {
  readonly keys: KeyFile
  /** Bare origin of the service. */
  readonly server: string
  readonly send: Send
  /** Keeps a challenge before its proof is sent, so that a lost answer can be asked for again. */
  readonly remember: (pending: EnrolmentEvent) => void
}

/** Challenges that can never be proved any more: a new one is asked for. */
const GONE = new Set(["CHALLENGE_NOT_FOUND", "CHALLENGE_EXPIRED", "CHALLENGE_LOCKED", "CHALLENGE_SUPERSEDED"])

/** The two calls of an enrolment. Throws CommandError: 3 the service refused or lied, 4 it could not be asked. */
export async function enrol(input: EnrolInput): Promise<Enrolled> {
  const operational = signingKey(input.keys.operational)
  const recovery = signingKey(input.keys.recovery)
  const own = { audience: input.server, operationalX: operational.x, recoveryX: recovery.x }
  if (input.keys.pending && input.keys.pending.audience === input.server) {
    const event = challengeToSign({ challenge: input.keys.pending }, own)
    const answer = await prove(input, event, operational, recovery)
    if (!(answer.code && GONE.has(answer.code))) return enrolled(answer, event, operational)
  }
  const asked = await postJson(input.send, `${input.server}/v1/agent-identities/challenges`, {
    schema_version: "1.0.0",
    purpose: "ENROLLMENT",
    operational_public_jwk: publicJwk(operational.x),
    recovery_public_jwk: publicJwk(recovery.x),
  })
  if (asked.status !== 201) throw refused("challenge", asked)
  const event = challengeToSign(asked.body, own)
  input.remember(event)
  return enrolled(await prove(input, event, operational, recovery), event, operational)
}

/** The proof goes to the origin the user named, never to an address the server's answer names. */
function prove(
  { send, server }: EnrolInput,
  event: EnrolmentEvent,
  operational: SigningKey,
  recovery: SigningKey,
): Promise<ServiceAnswer> {
  const text = canonicalize(event)
  const signed = (role: "OPERATIONAL" | "RECOVERY", { keyId, privateKey }: SigningKey) => ({
    role,
    key_id: keyId,
    algorithm: "Ed25519",
    value: signWith(privateKey, text),
  })
  return postJson(send, `${server}/v1/agent-identities/challenges/${event.challenge_id}/prove`, {
    schema_version: "1.0.0",
    challenge_digest: digestBytes(text),
    signatures: [signed("OPERATIONAL", operational), signed("RECOVERY", recovery)],
  })
}

/** The agent id is recomputed, not believed: it is the digest of the event the agent signed. */
function enrolled(answer: ServiceAnswer, event: EnrolmentEvent, operational: SigningKey): Enrolled {
  if (answer.status !== 200) throw refused("proof", answer)
  if (!checkResult.Check(answer.body)) throw new CommandError(EXIT.INVALID, "the proof's answer is not an enrolment")
  const { agent_id: agentId, profile }: Static<typeof Result> = answer.body
  if (agentId !== agentIdOf(digestBytes(canonicalize(event)))) {
    throw new CommandError(EXIT.INVALID, "the server named an agent id that the signed event does not make")
  }
  return { agentId, keyId: operational.keyId, profile }
}
