/**
 * Rehearses one draft: completes it with a synthetic buyer, agent and mandate, and decides it on the operator's lists. No own record is
 * read, nothing is paid, and nothing is kept. The same draft, seed, clock and snapshots give the same payload.
 */
import { createHash } from "node:crypto"
import {
  type JourneyPayload,
  type JourneyResponse,
  type JourneySnapshot,
  type JourneyStep,
  REHEARSAL,
} from "../../../schemas/agent-mode/journeys.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import type { VendorChangeRequest } from "../../../schemas/us/vendor-change.ts"
import { VENDOR_CHANGE_PRODUCT } from "../../../schemas/us/vendor-change.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { digestOf } from "../../core/digest.ts"
import { formatId, ID_RANDOM_BYTES } from "../../core/ids.ts"
import { signSandboxArtifact } from "../../core/sandbox-artifact.ts"
import { type Signer, signedAnswer } from "../../core/signer.ts"
import { formatInstant } from "../../core/time.ts"
import { ServiceError } from "../../errors.ts"
import { problemOf } from "../../http/problem.ts"
import { CONTRACT, NO_EFFECTS } from "../../products/agent-mode/answer-members.ts"
import type { DecisionDraft } from "../../products/us/payment-decision/example.ts"
import { signChange } from "../../products/us/vendor-change/example.ts"
import { syntheticDecision } from "../synthetic-buyer.ts"
import { type CompletedDraft, completeDraft, productOfDraft, rehearsedProduct } from "./complete-draft.ts"
import { type RehearsalRun, type Rehearsed, rehearsalOf } from "./decide-rehearsal.ts"
import type { Members } from "./fill-required.ts"
import type { RehearsalLists } from "./rehearsal-lists.ts"
import { openRehearsalWorld, type RehearsalWorld } from "./rehearsal-world.ts"

export interface RehearsalInput {
  readonly draft: Members
  /** Absent: the one product that the draft fits. */
  readonly productId?: string | undefined
  readonly seed: number
  /** Milliseconds since the epoch: the lists are judged at this time. */
  readonly clock: number
}

export interface RehearsalResult {
  readonly response: JourneyResponse
  readonly productId: string
  readonly outcome: Rehearsed | { readonly kind: "REFUSED"; readonly error: ServiceError }
  /** Pointers of what the draft lacks and the sandbox made up. */
  readonly madeUp: readonly string[]
  /** Pointers of what the draft states and the sandbox replaced. */
  readonly replaced: readonly string[]
}

/** What every rehearsal leaves out, as codes. */
const LIMITATIONS = [
  "SYNTHETIC_BUYER_AGENT_AND_MANDATE",
  "NO_OWN_RECORDS",
  "NO_PAYMENT_AND_NO_DELIVERY",
  "LIVE_REGISTER_NOT_ASKED",
  "AUTHORIZES_NOTHING",
]

/** `signer` holds the sandbox key. Throws SCHEMA_INVALID for a draft without a party or of no single product. */
export async function rehearse(lists: RehearsalLists, signer: Signer, input: RehearsalInput): Promise<RehearsalResult> {
  const { draft, seed, clock } = input
  const product = input.productId === undefined ? productOfDraft(draft) : requireProduct(input.productId)
  const currency =
    typeof draft["currency"] === "string" && /^[A-Z]{3}$/.test(draft["currency"]) ? draft["currency"] : "USD"
  const world = await openRehearsalWorld({ journey: REHEARSAL, seed, clock, currency })
  try {
    const { buyer, agent, payer, baseUrl } = world
    const completed = completeDraft(product, draft, {
      call: { at: clock, key: `rehearsal-${seed}` },
      agent,
      audience: baseUrl(),
      buyer,
      payer,
    })
    const request = signed(world, completed)
    const run = rehearsalOf(world, lists, product.id, request)
    const outcome = await outcomeOf(run)
    const { madeUp, replaced } = completed
    const response = signedRehearsal(signer, {
      ...input,
      productId: product.id,
      lists,
      run,
      request,
      outcome,
      completed,
    })
    return { response, productId: product.id, outcome, madeUp, replaced }
  } finally {
    await world.close()
  }
}

function requireProduct(id: string) {
  const product = rehearsedProduct(id)
  if (product) return product
  throw new ServiceError("SCHEMA_INVALID", "No paid product has this id.", {
    errors: [{ pointer: "/product_id", code: "UNKNOWN", expected: "id of one of the nine paid products" }],
  })
}

/** Adds mandate and signatures where the product has them. */
function signed({ buyer, agent, machine }: RehearsalWorld, { product, body }: CompletedDraft): object {
  switch (product.id) {
    case PAYMENT_DECISION_PRODUCT:
      return syntheticDecision(body as unknown as DecisionDraft, buyer, agent, machine)
    case VENDOR_CHANGE_PRODUCT:
      return signChange(body as unknown as VendorChangeRequest, agent)
    default:
      return body
  }
}

async function outcomeOf(run: RehearsalRun): Promise<RehearsalResult["outcome"]> {
  try {
    return await run.run()
  } catch (error) {
    if (error instanceof ServiceError) return { kind: "REFUSED", error }
    throw error
  }
}

interface SignedParts extends RehearsalInput {
  readonly productId: string
  readonly lists: RehearsalLists
  readonly run: RehearsalRun
  readonly request: object
  readonly outcome: RehearsalResult["outcome"]
  readonly completed: Pick<CompletedDraft, "madeUp" | "replaced">
}

function signedRehearsal(signer: Signer, parts: SignedParts): JourneyResponse {
  const { seed, clock, outcome, completed, draft, productId } = parts
  const wrapped = { journey: REHEARSAL, seed, clock: formatInstant(clock) } as const
  const report = {
    product_id: productId,
    made_up: completed.madeUp,
    replaced: completed.replaced,
    draft_digest: digestOf(draft),
  }
  const documents: [string, object][] = [
    ["REHEARSAL_REPORT", report],
    ...(outcome.kind === "DECIDED" ? ([["PROOF_CAPSULE", outcome.capsule]] satisfies [string, object][]) : []),
  ]
  const artifacts = documents.map(([artifact_type, document]) =>
    signSandboxArtifact(signer, { ...wrapped, artifact_type, document }),
  )
  const step = stepOf(parts)
  const payload: JourneyPayload = {
    ...CONTRACT,
    domain: "svc.sandbox.journey.v1",
    journey_id: journeyId(parts),
    ...wrapped,
    deterministic: true,
    synthetic: true,
    environment: "SANDBOX",
    transcript: [step],
    artifact_digests: artifacts.map(({ digest }) => digest),
    snapshots: snapshotsOf(parts.lists, clock),
    settlement_created: false,
    effects: NO_EFFECTS,
    limitations: LIMITATIONS,
    next_machine_action: nextAction(outcome),
  }
  return { ...signedAnswer(signer, payload), artifacts }
}

/** The request as it was decided, and the decision as the product's capsule signs it: without billing and delivery, which did not happen. */
function stepOf({ run: { operation }, request, outcome }: SignedParts): JourneyStep {
  const { status, body } = replyOf(outcome, operation.path)
  return {
    step: 1,
    actor: "AGENT",
    action: "CALL",
    operation_id: operation.id,
    request: {
      method: operation.method,
      path: operation.path,
      headers: { "content-type": "application/json" },
      body: request,
    },
    response: {
      status,
      headers: { "content-type": status === 200 ? "application/json" : "application/problem+json" },
      body,
    },
  }
}

function replyOf(outcome: RehearsalResult["outcome"], path: string): { status: number; body: object } {
  if (outcome.kind !== "REFUSED") return { status: 200, body: outcome.answer }
  const problem = problemOf(outcome.error, {
    path,
    baseUrl: "https://sandbox.svc.invalid",
    requestId: "req_rehearsal",
    traceId: "rehearsal",
  })
  return { status: problem.status, body: problem }
}

/** Every list and register that the decision could read, in the order of its id. */
function snapshotsOf({ us, gb, registers }: RehearsalLists, at: number): JourneySnapshot[] {
  const states = [...us.states(at), ...gb.states(at), ...registers.states(at)]
  const byId = new Map(states.map((state) => [state.sourceId as string, state]))
  return [...byId]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([source_id, { snapshot }]) => ({
      source_id,
      source_version: snapshot?.sourceVersion ?? null,
      raw_sha256: snapshot?.rawSha256 ?? null,
    }))
}

function journeyId({ draft, productId, seed, clock }: SignedParts): string {
  const text = canonicalize({ journey: REHEARSAL, seed, clock, product_id: productId, draft })
  return formatId("jrn", new Uint8Array(createHash("sha256").update(text).digest()).subarray(0, ID_RANDOM_BYTES))
}

/** CHOICE: whatever a rehearsal decides, its only next action is to ask the real service. */
function nextAction(outcome: RehearsalResult["outcome"]): string {
  return outcome.kind === "REFUSED" ? "CORRECT_REQUEST" : "REQUEST_QUOTE"
}
