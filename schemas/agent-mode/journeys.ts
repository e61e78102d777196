/**
 * Sandbox journeys (Interface, "Agent-mode foundation"): a rehearsal of the service over synthetic facts and a synthetic chain. CHOICE: the
 * interface names the schemas and does not show their members.
 */
import { type Static, Type } from "@sinclair/typebox"
import { AgentId, closed, DateTime, digestOver, enumeration, PayloadDigest, SignatureObject } from "../common.ts"
import { FREE, operation } from "../operation.ts"
import { problem } from "../problem.ts"
import { dateTime, mapOf, text } from "../text.ts"
import { ACTIVE_HEADERS, contractMembers, endMembers, ProductId, Word } from "./notation.ts"
import { SandboxArtifact } from "./sandbox-artifact.ts"

export const JOURNEYS_PATH = "/v1/agent-mode/sandbox/journeys"

/** The journeys that anyone may run. */
export const JOURNEYS = [
  "AGENT_ID_ENROLLMENT",
  "PAYMENT_DECISION_ALLOW",
  "PAYMENT_DECISION_HOLD",
  "PAYMENT_DECISION_BLOCK",
  "UK_PAYMENT_REVIEW",
  "UK_SOURCE_UNAVAILABLE",
  "RECOVERY_PENDING",
  "INTENT_BEACON",
] as const
export type Journey = (typeof JOURNEYS)[number]

/** The caller's own draft, decided on the operator's lists. Runs only where the operator allows it. */
export const REHEARSAL = "REHEARSAL"
export const JourneyName = enumeration(...JOURNEYS, REHEARSAL)
export type JourneyName = Static<typeof JourneyName>

export const SEED_MAX = 2_147_483_647
export const Seed = Type.Integer({ minimum: 0, maximum: SEED_MAX })
/** CHOICE: the journeys begin at this instant unless the caller names another. */
export const CLOCK_DEFAULT = "2026-01-15T12:00:00.000Z"
const YEAR_MIN = 2020
const YEAR_MAX = 2099

export const Rehearsal = closed({
  product_id: ProductId,
  request: Type.Object({}, { description: "A draft of a request of that product" }),
})
export type Rehearsal = Static<typeof Rehearsal>

/** `provider`: SYNTHETIC or absent. `rehearsal`: with the journey REHEARSAL only. */
export const RunSyntheticJourney = closed(
  {
    ...contractMembers,
    environment: enumeration("SANDBOX", "LIVE"),
    journey: JourneyName,
    seed: Seed,
    clock: Type.Union([
      dateTime(
        `The instant at which the journey begins, in the years ${YEAR_MIN} to ${YEAR_MAX}; null: ${CLOCK_DEFAULT}`,
      ),
      Type.Null(),
    ]),
    idempotency_key: text(8, 120),
    agent_id: Type.Optional(AgentId),
    provider: Type.Optional(Word),
    rehearsal: Type.Optional(Rehearsal),
  },
  { $id: "run_synthetic_journeyRequest" },
)
export type RunSyntheticJourney = Static<typeof RunSyntheticJourney>

/** The headers that carry content: of the request what the route reads, of the response what the route says. */
const Headers = mapOf(16, text(1, 64), text(1, 65_536))
const Body = Type.Union([Type.Object({}), Type.Null()], { description: "JSON; null if there is none" })

/** One call to the sandbox's own service, or one act outside HTTP. */
export const JourneyStep = closed({
  step: Type.Integer({ minimum: 1, maximum: 24 }),
  actor: enumeration("AGENT", "PAYER", "BUYER_ORGANIZATION", "OPERATOR", "CHAIN"),
  action: enumeration("CALL", "ENTER_BUYER", "MINE_BLOCK", "REMOVE_SOURCE"),
  operation_id: Type.Union([text(1, 160), Type.Null()]),
  request: Type.Union([
    closed({ method: enumeration("GET", "POST"), path: text(1, 2000), headers: Headers, body: Body }),
    Type.Null(),
  ]),
  response: Type.Union([
    closed({ status: Type.Integer({ minimum: 200, maximum: 599 }), headers: Headers, body: Body }),
    Type.Null(),
  ]),
})
export type JourneyStep = Static<typeof JourneyStep>

/** A list that the journey read: synthetic, or with REHEARSAL one of the operator's. */
export const JourneySnapshot = closed({
  source_id: text(1, 160),
  source_version: Type.Union([text(1, 200), Type.Null()]),
  raw_sha256: Type.Union([
    text(1, 160, { description: "sha256:<hex> over the bytes of the list as retrieved" }),
    Type.Null(),
  ]),
})
export type JourneySnapshot = Static<typeof JourneySnapshot>

export const JourneyPayload = closed({
  ...contractMembers,
  domain: Type.Literal("svc.sandbox.journey.v1"),
  journey_id: Type.String({ pattern: "^jrn_[A-Za-z0-9_-]{22}$" }),
  journey: JourneyName,
  seed: Seed,
  clock: DateTime,
  deterministic: Type.Literal(true),
  synthetic: Type.Literal(true),
  environment: Type.Literal("SANDBOX"),
  transcript: Type.Array(JourneyStep, { minItems: 1, maxItems: 24 }),
  artifact_digests: Type.Array(digestOver("C14N of each artifact of the answer"), { maxItems: 24 }),
  snapshots: Type.Array(JourneySnapshot, { maxItems: 32 }),
  settlement_created: Type.Literal(false),
  ...endMembers,
})
export type JourneyPayload = Static<typeof JourneyPayload>

/** `digest` = digest(C14N(payload)); the sandbox key signs the payload and each artifact. */
export const JourneyResponse = closed(
  {
    payload: JourneyPayload,
    digest: PayloadDigest,
    signature: SignatureObject,
    artifacts: Type.Array(SandboxArtifact, { maxItems: 24 }),
  },
  { $id: "run_synthetic_journeyResponse" },
)
export type JourneyResponse = Static<typeof JourneyResponse>

/** True for a clock that a journey may begin at, milliseconds since the epoch. */
export function isJourneyClock(at: number): boolean {
  return at >= Date.UTC(YEAR_MIN, 0) && at < Date.UTC(YEAR_MAX + 1, 0)
}

const exampleBody: RunSyntheticJourney = {
  schema_version: "1.0.0",
  contract_version: "1.0.0",
  environment: "SANDBOX",
  journey: "PAYMENT_DECISION_ALLOW",
  seed: 7,
  clock: null,
  idempotency_key: "journey-2026-0001",
}

export const runSyntheticJourney = operation({
  method: "POST",
  body: RunSyntheticJourney,
  exampleBody,
  ...FREE,
  id: "run_synthetic_journey",
  path: JOURNEYS_PATH,
  summary:
    "Run one journey through the real code over synthetic facts and a synthetic chain; signed by the sandbox key",
  responses: {
    200: {
      description: "Signed transcript and artifacts; the same journey, seed and clock give the same payload",
      schema: JourneyResponse,
    },
    403: problem("Live, off, another provider, a rehearsal that the operator does not allow, or a payment header"),
    409: problem("Idempotency key used for another body within ten minutes"),
    422: problem("Closed schema, private key, clock outside its years, or a rehearsal member without that journey"),
    429: problem("Too many requests from this address, or one journey runs and eight wait"),
  },
  headers: ACTIVE_HEADERS,
  cors: "NONE",
  rateLimit: { group: "agent-mode-journeys", perMinute: 10 },
  tool: "READ",
})
