/**
 * Rehearses one draft: the service of the sandbox, with the operator's own lists, sells it to a synthetic buyer over the synthetic chain.
 * No own record is read, nothing real is paid, and nothing is kept. The same draft, seed, clock and snapshots give the same payload.
 */

import { type JourneyResponse, REHEARSAL } from "../../../schemas/agent-mode/journeys.ts"
import { CAPSULE_HEADER } from "../../../schemas/answer-capsule.ts"
import type { Operation } from "../../../schemas/operation.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import { VENDOR_CHANGE_PRODUCT, type VendorChangeRequest } from "../../../schemas/us/vendor-change.ts"
import { ServiceError } from "../../base/errors.ts"
import { requireNoFaults } from "../../base/sensitive-refusals.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { digestOf } from "../../core/digest.ts"
import { DraftSearch } from "../../core/sensitive/sensitive-draft.ts"
import { isObject } from "../../core/strict-json.ts"
import { countInWords } from "../../core/text/count-in-words.ts"
import { bodyGuard } from "../../http/body-guard.ts"
import { BODY_BYTES_MAX, compile } from "../../http/read-body.ts"
import { readCapsule } from "../../offline/kinds/answer-document.ts"
import { Report } from "../../offline/report.ts"
import { PRODUCTS, type Product } from "../../products/products.ts"
import type { DecisionDraft } from "../../products/us/payment-decision/example.ts"
import { signChange } from "../../products/us/vendor-change/example.ts"
import { agentKeyFile, enrolAgent, type MadeDocument } from "../journey-cast.ts"
import { delegate } from "../journeys/purchase.ts"
import { openSandbox, SANDBOX_BASE_URL, type Sandbox } from "../open-sandbox.ts"
import { journeyResponse, type SandboxDeps, snapshotsOf } from "../play-journey.ts"
import type { SandboxBoards } from "../synthetic-boards.ts"
import { type SyntheticAgent, type SyntheticBuyer, syntheticBuyer, syntheticDecision } from "../synthetic-buyer.ts"
import { syntheticKey } from "../synthetic-keys.ts"
import { Transcript } from "../transcript.ts"
import { assumeEarlierAnswer } from "./assumed-answer.ts"
import { buy } from "./buy.ts"
import { type CompletedDraft, completeDraft, productOfDraft } from "./complete-draft.ts"
import type { Members } from "./fill-required.ts"

interface RehearsalInput {
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
  /** Status and body of the last response: the answer, or the refusal. */
  readonly status: number
  readonly answer: Members
  /** The request as it was sent. */
  readonly request: object
  /** Pointers of what the draft lacks and the sandbox made up. */
  readonly madeUp: readonly string[]
  /** Pointers of what the draft states and the sandbox replaced. */
  readonly replaced: readonly string[]
}

/** What every rehearsal leaves out, as codes. */
const LIMITATIONS = ["NO_OWN_RECORDS", "NO_REAL_PAYMENT", "LIVE_REGISTER_NOT_ASKED", "AUTHORIZES_NOTHING"]
/** Products whose request an agent signs for an organization. */
const SIGNED: ReadonlySet<string> = new Set([PAYMENT_DECISION_PRODUCT, VENDOR_CHANGE_PRODUCT])

/** Throws ServiceError for a draft that is too large, has no party or fits no single product. */
export async function rehearse(
  boards: SandboxBoards,
  { signer, routes }: SandboxDeps,
  input: RehearsalInput,
): Promise<RehearsalResult> {
  const { draft, seed, clock } = input
  requireSize(draft)
  const product = input.productId === undefined ? productOfDraft(draft) : requireProduct(input.productId)
  const sandbox = await openSandbox({ journey: REHEARSAL, seed, clock, boards, routes })
  try {
    const transcript = new Transcript(sandbox)
    const buyer = syntheticBuyer(seed)
    const agent = await agentFor(product, { sandbox, transcript, buyer, draft, seed })
    const completed = completeDraft(product, draft, {
      call: { at: sandbox.machine.now(), key: `rehearsal-${seed}` },
      agent,
      audience: SANDBOX_BASE_URL,
      buyer,
      payer: sandbox.chain.payer.address,
    })
    const request = signed(completed, sandbox, buyer, agent)
    const operation = operationOf(sandbox, product.id)
    const isAssumed =
      requireNothingSensitive(operation, request, draft) && (await assumeEarlierAnswer(sandbox, boards, completed.body))
    const reply = await buy({ sandbox, transcript, operation, body: request })
    const { madeUp, replaced } = completed
    const report = { product_id: product.id, draft_digest: digestOf(draft), made_up: madeUp, replaced }
    const documents = [{ type: "REHEARSAL_REPORT", document: report }, ...proofOf(reply.body, reply.headers)]
    const response = journeyResponse(
      {
        journey: REHEARSAL,
        seed,
        clock,
        about: { product_id: product.id, draft },
        transcript,
        documents,
        snapshots: snapshotsOf(boards, clock),
        limitations: isAssumed ? [...LIMITATIONS, "EARLIER_ANSWER_ASSUMED"] : LIMITATIONS,
      },
      signer,
    )
    return { response, productId: product.id, status: reply.status, answer: reply.body, request, madeUp, replaced }
  } finally {
    await sandbox.close()
  }
}

/**
 * Runs before anything is sent, because a transcript repeats the request. CHOICE: a draft that its schema refuses is searched as a whole,
 * because no schema says which of its texts are free; only then does its route refuse it. Returns whether its schema accepts it.
 */
function requireNothingSensitive(operation: Operation, request: object, draft: Members): boolean {
  const { body: schema } = operation
  if (!schema) throw new Error(`${operation.id} takes no body`)
  const isComplete = compile(schema).Check(request)
  if (isComplete) bodyGuard(operation)?.(request)
  else requireNoFaults(new DraftSearch({ bankData: true }).faultsOf(schema, draft))
  return isComplete
}

function requireSize(draft: Members): void {
  if (Buffer.byteLength(canonicalize(draft)) <= BODY_BYTES_MAX) return
  throw new ServiceError("BODY_TOO_LARGE", `The draft may have at most ${BODY_BYTES_MAX} bytes.`)
}

function requireProduct(id: string): Product {
  const product = PRODUCTS.find((one) => one.id === id)
  if (product) return product
  throw new ServiceError("SCHEMA_INVALID", "No paid product has this id.", {
    errors: [
      {
        pointer: "/product_id",
        code: "UNKNOWN",
        expected: `id of one of the ${countInWords(PRODUCTS.length)} paid products`,
      },
    ],
  })
}

interface AgentParts {
  readonly sandbox: Sandbox
  readonly transcript: Transcript
  readonly buyer: SyntheticBuyer
  readonly draft: Members
  readonly seed: number
}

/** Enrolled and delegated where the product needs it. The other products name no agent. */
async function agentFor(product: Product, parts: AgentParts): Promise<SyntheticAgent> {
  const { seed, draft } = parts
  if (!SIGNED.has(product.id)) {
    const { keyId, privateKey } = syntheticKey(seed, "AGENT")
    return { issuer: `svc:agent:${"a".repeat(32)}`, keyId, privateKey }
  }
  const acting = { ...parts, agentKeys: agentKeyFile(seed) }
  const agent = await enrolAgent(acting)
  const { currency } = draft
  await delegate(acting, agent, typeof currency === "string" && /^[A-Z]{3}$/.test(currency) ? currency : undefined)
  return agent
}

/** Adds mandate and signatures where the product has them. */
function signed(
  { product, body }: CompletedDraft,
  { machine }: Sandbox,
  buyer: SyntheticBuyer,
  agent: SyntheticAgent,
): object {
  switch (product.id) {
    case PAYMENT_DECISION_PRODUCT:
      return { ...syntheticDecision(signable(body), buyer, agent, machine), payee: body["payee"] }
    case VENDOR_CHANGE_PRODUCT:
      return signChange(body as unknown as VendorChangeRequest, agent)
    default:
      return body
  }
}

const NO_PAYEE = { fingerprint: digestOf("no payee") }

/** A mandate names the fingerprint of the payee. For a payee without one it names none that exists, and the route refuses that payee. */
function signable(body: Members): DecisionDraft {
  const { payee } = body
  const hasFingerprint = isObject(payee) && typeof payee["fingerprint"] === "string"
  return { ...body, ...(!hasFingerprint && { payee: NO_PAYEE }) } as unknown as DecisionDraft
}

function operationOf({ service }: Sandbox, productId: string): Operation {
  const operation = service.shell.served.rows().find(({ product }) => product?.id === productId)
  if (!operation) throw new Error(`no operation sells ${productId}`)
  return operation
}

/** The capsule: a part of a Payment Decision, a header of every other answer, and absent where nothing was decided. */
function proofOf(body: Members, headers: Headers): MadeDocument[] {
  const own = body["proof_capsule"]
  if (typeof own === "object" && own !== null) return [{ type: "PROOF_CAPSULE", document: own }]
  const header = headers.get(CAPSULE_HEADER)
  if (header === null) return []
  const capsule = readCapsule(new TextEncoder().encode(header), new Report())?.capsule
  if (!capsule) throw new Error("the answer came without a readable capsule")
  return [{ type: "PROOF_CAPSULE", document: capsule }]
}
