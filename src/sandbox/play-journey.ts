/** Plays one journey. The same journey, seed and clock give the same payload and the same documents on every machine. */
import { createHash } from "node:crypto"
import type {
  Journey,
  JourneyName,
  JourneyPayload,
  JourneyResponse,
  JourneySnapshot,
} from "../../schemas/agent-mode/journeys.ts"
import { CONTRACT, NO_EFFECTS } from "../agent-mode/answer-members.ts"
import { canonicalBytes, canonicalize } from "../core/canonical-json.ts"
import { digestOf } from "../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../core/ids.ts"
import { signSandboxArtifact } from "../core/sandbox/sandbox-artifact.ts"
import { type Signer, signedAnswer } from "../core/signer.ts"
import { formatInstant } from "../core/time.ts"
import { agentKeyFile, type Cast, type MadeDocument } from "./journey-cast.ts"
import { playAgentId } from "./journeys/agent-id.ts"
import { playBeacon } from "./journeys/intent-beacon.ts"
import { playDecision, playRecovery } from "./journeys/payment-decision.ts"
import { playUkReview, playUkUnavailable } from "./journeys/uk-payment.ts"
import { openSandbox, type RouteMap } from "./open-sandbox.ts"
import { CLEAR_NAME, LISTED_NAME, type SandboxBoards, SIMILAR_NAME, syntheticBoards } from "./synthetic-boards.ts"
import { syntheticBuyer } from "./synthetic-buyer.ts"
import { Transcript } from "./transcript.ts"

/** Bytes of the longest answer. */
export const JOURNEY_BYTES_MAX = 512 * 1024

const PLAYS: Readonly<Record<Journey, (cast: Cast) => Promise<MadeDocument[]>>> = {
  AGENT_ID_ENROLLMENT: playAgentId,
  PAYMENT_DECISION_ALLOW: playDecision(CLEAR_NAME, "ALLOW"),
  PAYMENT_DECISION_HOLD: playDecision(SIMILAR_NAME, "HOLD"),
  PAYMENT_DECISION_BLOCK: playDecision(LISTED_NAME, "BLOCK"),
  UK_PAYMENT_REVIEW: playUkReview,
  UK_SOURCE_UNAVAILABLE: playUkUnavailable,
  RECOVERY_PENDING: playRecovery,
  INTENT_BEACON: playBeacon,
}

export interface JourneyStart {
  readonly seed: number
  /** Milliseconds since the epoch. */
  readonly clock: number
}

export interface SandboxDeps {
  /** Holds the sandbox key. */
  readonly signer: Signer
  readonly routes: RouteMap
}

export async function playJourney(
  journey: Journey,
  { seed, clock }: JourneyStart,
  { signer, routes }: SandboxDeps,
): Promise<JourneyResponse> {
  const boards = syntheticBoards(clock)
  const sandbox = await openSandbox({ journey, seed, clock, boards, routes })
  try {
    const transcript = new Transcript(sandbox)
    const buyer = syntheticBuyer(seed)
    const cast = { journey, sandbox, boards, transcript, buyer, agentKeys: agentKeyFile(seed) }
    const documents = await PLAYS[journey](cast)
    const snapshots = snapshotsOf(boards, clock)
    return journeyResponse({ journey, seed, clock, about: {}, transcript, documents, snapshots }, signer)
  } finally {
    await sandbox.close()
  }
}

interface PlayedJourney extends JourneyStart {
  readonly journey: JourneyName
  /** What else the id of the journey depends on. */
  readonly about: object
  readonly transcript: Pick<Transcript, "steps">
  readonly documents: readonly MadeDocument[]
  readonly snapshots: readonly JourneySnapshot[]
  /** Beside those of every journey. */
  readonly limitations?: readonly string[]
}

/** Wraps and signs with the sandbox key. Throws when the answer is longer than its limit. */
export function journeyResponse(played: PlayedJourney, signer: Signer): JourneyResponse {
  const { journey, seed, documents } = played
  const clock = formatInstant(played.clock)
  const artifacts = documents.map(({ type, document }) =>
    signSandboxArtifact(signer, { journey, seed, clock, artifact_type: type, document }),
  )
  const payload: JourneyPayload = {
    ...CONTRACT,
    domain: "svc.sandbox.journey.v1",
    journey_id: journeyId({ journey, seed, clock, ...played.about }),
    journey,
    seed,
    clock,
    deterministic: true,
    synthetic: true,
    environment: "SANDBOX",
    transcript: played.transcript.steps,
    artifact_digests: documents.map(({ document }) => digestOf(document)),
    snapshots: [...played.snapshots],
    settlement_created: false,
    effects: NO_EFFECTS,
    limitations: ["SYNTHETIC", "NOTHING_WAS_DECIDED", "KEYS_ANYONE_CAN_MAKE", ...(played.limitations ?? [])],
    next_machine_action: "USE_AS_REHEARSAL_ONLY",
  }
  const response = { ...signedAnswer(signer, payload), artifacts }
  const { byteLength } = canonicalBytes(response)
  if (byteLength > JOURNEY_BYTES_MAX) throw new Error(`the journey has ${byteLength} bytes, over its limit`)
  return response
}

function journeyId(about: object): string {
  const hash = createHash("sha256").update(canonicalize(about)).digest()
  return formatId("jrn", new Uint8Array(hash.subarray(0, ID_RANDOM_BYTES)))
}

/** The lists as they are when the journey begins. */
export function snapshotsOf({ sources, gbSources, registers }: SandboxBoards, at: number): JourneySnapshot[] {
  return [...sources.states(at), ...gbSources.states(at), ...registers.states(at)].map(({ sourceId, snapshot }) => ({
    source_id: sourceId,
    source_version: snapshot?.sourceVersion ?? null,
    raw_sha256: snapshot?.rawSha256 ?? null,
  }))
}
