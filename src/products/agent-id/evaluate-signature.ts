import type {
  CryptographicOutcome,
  ReplayOutcome,
  SignatureOutcomes,
} from "../../../schemas/agent-id/signature-outcomes.ts"
import { digestOf } from "../../core/digest.ts"
import { formatInstant } from "../../core/time.ts"
import type { Call } from "../../http/call.ts"
import { notAdmittedError } from "../../http/free-writes.ts"
import { StoreUnavailable } from "../../store/engine/store-error.ts"
import type { Store } from "../../store/engine/unit.ts"
import { recordNonce } from "../../store/identity/signature-nonces.ts"
import type { Crowd } from "./crowd.ts"
import type { KeptSigners, SignatureFacts } from "./kept-signers.ts"
import { cryptographicOutcome, cryptographicOutcomeAside } from "./outcomes/cryptographic.ts"
import { distributionOutcome } from "./outcomes/distribution.ts"
import { lifecycleOutcome } from "./outcomes/lifecycle.ts"
import { type ReplayFacts, replayOutcome } from "./outcomes/replay.ts"
import { temporalOutcome } from "./outcomes/temporal.ts"
import type { SignatureSubject } from "./signature-subject.ts"
import { CLOCK_SKEW_MS } from "./signature-window.ts"

export interface ReplayRequest {
  readonly mode: ReplayOutcome["mode"]
  /** The verifier chooses it, so that its own repetition does not count as a replay. */
  readonly verifierNonce: string | null
}

export interface EvaluationDeps {
  readonly store: Store
  readonly signers: KeptSigners
  readonly crowd: Crowd
}

/** Returns the five outcomes, each from its own file. Throws RATE_LIMITED if a nonce must be recorded and there is no room. */
export async function evaluateSignature(
  { store, signers, crowd }: EvaluationDeps,
  subject: SignatureSubject,
  replayRequest: ReplayRequest,
  call: Pick<Call<unknown>, "at" | "writer">,
): Promise<SignatureOutcomes> {
  const { at } = call
  let state: State
  let cryptographic: CryptographicOutcome
  crowd.arrive()
  try {
    state = await stateOf(signers, subject, at)
    const x = state.kind === "KNOWN" && state.key?.role === "OPERATIONAL" ? state.key.x : null
    cryptographic = crowd.isLarge ? await cryptographicOutcomeAside(subject, x) : cryptographicOutcome(subject, x)
  } finally {
    crowd.leave()
  }
  const others = outcomesBesideReplay(subject, cryptographic, state, at)
  const unrecorded = unrecordedReplay(subject, replayRequest, state, others)
  const replay = unrecorded ?? (await recorded(store, subject, replayRequest, call))
  const { distribution, lifecycle, temporal } = others
  return { cryptographic, distribution, lifecycle, replay: replayOutcome(replay, replayRequest.mode), temporal }
}

type State = { readonly kind: "UNAVAILABLE" | "AGENT_NOT_FOUND" } | SignatureFacts

/**
 * A busy database proves nothing about a signature. The outcomes that need it are NOT_EVALUATED, which does not mean invalid. The other
 * outcomes are still returned.
 */
async function stateOf(signers: KeptSigners, subject: SignatureSubject, at: number): Promise<State> {
  const { agentId, keyId, statement } = subject
  try {
    const facts = await signers.factsOf({ agentId, keyId, statement, at: formatInstant(at) })
    return facts ?? { kind: "AGENT_NOT_FOUND" }
  } catch (error) {
    if (error instanceof StoreUnavailable) return { kind: "UNAVAILABLE" }
    throw error
  }
}

function outcomesBesideReplay(
  { statement }: SignatureSubject,
  cryptographic: CryptographicOutcome,
  state: State,
  at: number,
): Omit<SignatureOutcomes, "replay"> {
  const registeredAt = state.kind === "KNOWN" ? state.registeredAt : null
  return {
    cryptographic,
    lifecycle: lifecycleOutcome({
      state,
      issuedAt: statement?.window.issuedAt ?? null,
      registeredAt: statement ? registeredAt : undefined,
      at,
    }),
    temporal: temporalOutcome(statement?.window ?? null, at),
    distribution: distributionOutcome(
      !statement
        ? { kind: "NO_STATEMENT" }
        : state.kind === "UNAVAILABLE"
          ? { kind: "STATE_UNAVAILABLE" }
          : { kind: "LOOKED", isRegistered: registeredAt !== null },
    ),
  }
}

/** Returns null if the nonce must be recorded. */
function unrecordedReplay(
  { statement }: SignatureSubject,
  { mode, verifierNonce }: ReplayRequest,
  state: State,
  others: Omit<SignatureOutcomes, "replay">,
): ReplayFacts | null {
  if (!statement) return { kind: "NO_NONCE" }
  if (state.kind === "UNAVAILABLE") return { kind: "STATE_UNAVAILABLE" }
  if (state.kind !== "KNOWN" || state.key?.role !== "OPERATIONAL") return { kind: "KEY_UNAVAILABLE" }
  if (mode === "RECORD" && statement.window.expiresAt !== null && isWorthRecording(others)) return null
  const seen =
    state.recordId !== null &&
    (verifierNonce === null || state.recordId !== recordIdOf(statement.digest, verifierNonce))
  return { kind: "LOOKED", seen, refusedToRecord: mode === "RECORD" }
}

const recordIdOf = (statementDigest: string, verifierNonce: string | null) =>
  digestOf({ statement_digest: statementDigest, verifier_nonce: verifierNonce })

async function recorded(
  store: Store,
  subject: SignatureSubject,
  replayRequest: ReplayRequest,
  call: Pick<Call<unknown>, "at" | "writer">,
): Promise<ReplayFacts> {
  const { statement, agentId } = subject
  const { verifierNonce } = replayRequest
  if (!statement || statement.window.expiresAt === null) throw new TypeError("a nonce is recorded with its expiry")
  const recordId = recordIdOf(statement.digest, verifierNonce)
  const record = {
    nonceDigest: statement.nonceDigest,
    recordId,
    isRepeatable: verifierNonce !== null,
    agentId,
    at: formatInstant(call.at),
    expiresAt: formatInstant(statement.window.expiresAt + CLOCK_SKEW_MS),
    writer: call.writer(),
  }
  const outcome = await store.run(() => recordNonce(record))
  switch (outcome.kind) {
    case "RECORDED":
      return { kind: "RECORDED", recordId }
    case "SEEN":
      return { kind: "LOOKED", seen: true, refusedToRecord: false }
    case "NOT_ADMITTED":
      throw notAdmittedError(outcome, call.at)
  }
}

/**
 * Records the nonce only for a statement that could be accepted now. Otherwise a stranger could use up observed nonces with invented
 * signatures, and the thief of a revoked key could use up those of its owner.
 */
function isWorthRecording({ cryptographic, lifecycle, temporal }: Omit<SignatureOutcomes, "replay">): boolean {
  return (
    cryptographic.outcome === "VALID" &&
    temporal.outcome === "WITHIN_WINDOW" &&
    lifecycle.claimed_time_relation === "WITHIN_KEY_VALIDITY" &&
    (lifecycle.outcome === "KEY_ACTIVE" || lifecycle.outcome === "KEY_ROTATED")
  )
}
