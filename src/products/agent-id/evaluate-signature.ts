import type { ReplayOutcome, SignatureOutcomes } from "../../../schemas/agent-id/signature-outcomes.ts"
import { digestOf } from "../../core/digest.ts"
import { formatInstant, instant, SECOND } from "../../core/time.ts"
import { ServiceError } from "../../errors.ts"
import { type SignatureFacts, signatureFacts } from "../../store/signature-facts.ts"
import { recordNonce } from "../../store/signature-nonces.ts"
import { StoreUnavailable } from "../../store/store-error.ts"
import type { Store } from "../../store/unit.ts"
import { cryptographicOutcome } from "./outcomes/cryptographic.ts"
import { distributionOutcome } from "./outcomes/distribution.ts"
import { lifecycleOutcome } from "./outcomes/lifecycle.ts"
import { type ReplayFacts, replayOutcome } from "./outcomes/replay.ts"
import { temporalOutcome } from "./outcomes/temporal.ts"
import type { SignatureSubject } from "./signature-subject.ts"
import { CLOCK_SKEW_MS } from "./signature-window.ts"

export const RECORDED_PER_AGENT_MAX = 10_000
export const RECORDED_IN_ALL_MAX = 1_000_000

export interface EvaluationLimits {
  readonly recordedPerAgentMax: number
  readonly recordedInAllMax: number
}
const LIMITS: EvaluationLimits = { recordedPerAgentMax: RECORDED_PER_AGENT_MAX, recordedInAllMax: RECORDED_IN_ALL_MAX }

export interface ReplayAsked {
  readonly mode: ReplayOutcome["mode"]
  /** Chosen by the verifier, so that its own repeat is not taken for a replay. */
  readonly verifierNonce: string | null
}

/** The five outcomes, each from its own file. Throws RATE_LIMITED when a nonce is to be recorded and there is no room. */
export async function evaluateSignature(
  store: Store,
  subject: SignatureSubject,
  asked: ReplayAsked,
  at: number,
  limits: EvaluationLimits = LIMITS,
): Promise<SignatureOutcomes> {
  const { statement } = subject
  const state = await stateOf(store, subject, at)
  const known = state.kind === "KNOWN" ? state : null
  const x = known?.key?.role === "OPERATIONAL" ? known.key.x : null
  const registeredAt = known?.registeredAt ?? null
  const others = {
    cryptographic: cryptographicOutcome(subject, x),
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
  const replay = await replayFacts({ store, subject, asked, state, others, at, limits })
  return { ...others, replay: replayOutcome(replay, asked.mode) }
}

type State = { kind: "UNAVAILABLE" } | { kind: "AGENT_NOT_FOUND" } | ({ kind: "KNOWN" } & SignatureFacts)

/**
 * A database that is busy says nothing about a signature: the outcomes that need it are NOT_EVALUATED, which is not "invalid",
 * and the others are told all the same.
 */
async function stateOf(store: Store, { agentId, keyId, statement }: SignatureSubject, at: number): Promise<State> {
  const asked = {
    agentId,
    keyId,
    nonceDigest: statement?.nonceDigest ?? "",
    statementDigest: statement?.digest ?? "",
    at: formatInstant(at),
  }
  try {
    const facts = await store.read(() => signatureFacts(asked))
    return facts ? { kind: "KNOWN", ...facts } : { kind: "AGENT_NOT_FOUND" }
  } catch (error) {
    if (error instanceof StoreUnavailable) return { kind: "UNAVAILABLE" }
    throw error
  }
}

interface ReplayInput {
  readonly store: Store
  readonly subject: SignatureSubject
  readonly asked: ReplayAsked
  readonly state: State
  readonly others: Omit<SignatureOutcomes, "replay">
  readonly at: number
  readonly limits: EvaluationLimits
}

async function replayFacts({ store, subject, asked, state, others, at, limits }: ReplayInput): Promise<ReplayFacts> {
  const { statement, agentId } = subject
  const { mode, verifierNonce } = asked
  if (!statement) return { kind: "NO_NONCE" }
  if (state.kind === "UNAVAILABLE") return { kind: "STATE_UNAVAILABLE" }
  if (state.kind === "AGENT_NOT_FOUND" || state.key?.role !== "OPERATIONAL") return { kind: "KEY_UNAVAILABLE" }
  const recordId = () => digestOf({ statement_digest: statement.digest, verifier_nonce: verifierNonce })
  const { expiresAt } = statement.window
  if (mode === "OBSERVE" || expiresAt === null || !isWorthRecording(others)) {
    const seen = state.recordId !== null && (verifierNonce === null || state.recordId !== recordId())
    return { kind: "LOOKED", seen, refusedToRecord: mode === "RECORD" }
  }
  const record = { nonceDigest: statement.nonceDigest, recordId: recordId(), isRepeatable: verifierNonce !== null }
  const outcome = await store.run(() =>
    recordNonce({
      ...record,
      agentId,
      at: formatInstant(at),
      expiresAt: formatInstant(expiresAt + CLOCK_SKEW_MS),
      perAgentMax: limits.recordedPerAgentMax,
      inAllMax: limits.recordedInAllMax,
    }),
  )
  switch (outcome.kind) {
    case "RECORDED":
      return { kind: "RECORDED", recordId: record.recordId }
    case "SEEN":
      return { kind: "LOOKED", seen: true, refusedToRecord: false }
    default:
      throw capRefusal(outcome.kind, limits, outcome.nextExpiry, at)
  }
}

/**
 * Only a statement that could be accepted now takes its nonce away. A stranger would otherwise burn nonces he has seen with
 * signatures he made up, and a thief of a revoked key those of its owner.
 */
function isWorthRecording({ cryptographic, lifecycle, temporal }: Omit<SignatureOutcomes, "replay">): boolean {
  return (
    cryptographic.outcome === "VALID" &&
    temporal.outcome === "WITHIN_WINDOW" &&
    lifecycle.claimed_time_relation === "WITHIN_KEY_VALIDITY" &&
    (lifecycle.outcome === "KEY_ACTIVE" || lifecycle.outcome === "KEY_ROTATED")
  )
}

function capRefusal(
  kind: "AGENT_CAP" | "TOTAL_CAP",
  limits: EvaluationLimits,
  nextExpiry: string,
  at: number,
): ServiceError {
  const own = kind === "AGENT_CAP"
  const max = own ? limits.recordedPerAgentMax : limits.recordedInAllMax
  return new ServiceError(
    "RATE_LIMITED",
    `At most ${max} nonces ${own ? "of one agent" : "in all"} are recorded at a time; OBSERVE is not limited so.`,
    {
      reasonCodes: [own ? "RECORDED_NONCES_OF_AGENT" : "RECORDED_NONCES_IN_ALL"],
      retryAfterSeconds: Math.max(1, Math.ceil((instant(nextExpiry) - at) / SECOND)),
    },
  )
}
