/** Product, buyer and time of a purchase, decided by the seed and its number alone, so that a run with fewer purchases changes none. */
import { hash } from "node:crypto"
import type { PrivateKeyAccount } from "viem/accounts"
import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { requestDigest } from "../../src/checks/policy/digests.ts"
import { digestOf } from "../../src/core/digest.ts"
import { recoverySigningValue } from "../../src/core/forms/recovery-signing.ts"
import { signValue } from "../../src/core/signer.ts"
import { formatInstant } from "../../src/core/time.ts"
import { signedRequest } from "../fixtures/decision.ts"
import {
  binding,
  challenge,
  GB_NUMBER,
  GB_OTHER_PAYEE,
  GB_PAYEE,
  GB_PAYMENT_PATH,
  gbPaymentBody,
} from "../fixtures/gb.ts"
import { ORIGIN, PATH } from "../fixtures/test-server.ts"
import { POOR, RICH } from "./accounts.ts"
import {
  AMOUNT,
  FIRST_JOB_ORGANIZATION,
  JOBS_EACH,
  LAST_ORGANIZATION,
  type Organization,
  organization,
  PURCHASES_EACH,
} from "./organizations.ts"
import { priorOf } from "./prior-answers.ts"
import type { Random } from "./random.ts"

export type Habit = "honest" | "impatient" | "careless" | "canceller" | "poor"

export interface Purchase {
  readonly index: number
  readonly name: string
  /** Virtual ms. */
  readonly arrivesAt: number
  readonly random: Random
  readonly product: "decision" | "uk"
  readonly habit: Habit
  readonly payer: PrivateKeyAccount
  readonly path: string
  readonly idempotencyKey: string
  /** The owner of the key in the database; null while a UK request is unpaid. */
  readonly scope: string
  readonly organization: Organization
  /** Index of an earlier purchase with the same obligation or challenge; null for most. */
  readonly contends: number | null
}

/** The share of buyers with each habit. */
export type Habits = Readonly<Partial<Record<Habit, number>>>
const HABITS: Habits = { honest: 0.48, impatient: 0.15, careless: 0.22, canceller: 0.08, poor: 0.07 }
/** Between two purchases, unless a run says otherwise. */
export const ARRIVAL_MEAN_MS = 400

/** The first `count` purchases of a run, `meanMs` apart on average. */
export function* purchases(
  random: Random,
  count: number,
  meanMs = ARRIVAL_MEAN_MS,
  habits = HABITS,
): Generator<Purchase> {
  let at = 1_000
  for (let index = 0; index < count; index++) {
    const purchase = purchaseAt(random, index, habits)
    const gap = -Math.log(1 - purchase.random.fraction()) * meanMs
    // Two requests for one resource usually come close together.
    at += purchase.contends === null ? gap : gap * 0.1
    yield { ...purchase, arrivesAt: at }
  }
}

/** The purchase of an honest buyer after all others, which begins at once. */
export function lastPurchase(random: Random, index: number): Purchase {
  return purchaseAt(random, index, null)
}

/** Without habits, see {@link lastPurchase}. */
function purchaseAt(random: Random, index: number, habits: Habits | null): Purchase {
  const own = random.stream(`purchase ${index}`)
  const habit = habits === null ? "honest" : pickHabit(own, habits)
  const product = own.chance(0.5) ? "decision" : "uk"
  const payer = habit === "poor" ? POOR : own.pick(RICH)
  const company = organization(habits === null ? LAST_ORGANIZATION : Math.floor(index / PURCHASES_EACH))
  const contends = habits !== null && own.chance(0.1) && index > 0 ? index - own.between(1, Math.min(4, index)) : null
  return {
    index,
    name: `purchase ${index}`,
    arrivesAt: 0,
    random: own,
    product,
    habit,
    payer,
    path: product === "decision" ? PATH : GB_PAYMENT_PATH,
    idempotencyKey: `simulated-order-${index}`,
    scope: product === "decision" ? `${company.organizationId}\n${company.agentId}` : payer.address.toLowerCase(),
    organization: company,
    contends,
  }
}

/** The request of the job with this index. It shares no organization with the purchases. */
export function jobPurchase(random: Random, index: number): Purchase {
  const own = random.stream(`job ${index}`)
  const payer = own.pick(RICH)
  const company = organization(FIRST_JOB_ORGANIZATION + Math.floor(index / JOBS_EACH))
  return {
    index: FIRST_JOB + index,
    name: `job ${index}`,
    arrivesAt: 0,
    random: own,
    product: "decision",
    habit: own.chance(0.2) ? "impatient" : "honest",
    payer,
    path: PATH,
    idempotencyKey: `simulated-job-${index}`,
    scope: `${company.organizationId}\n${company.agentId}`,
    organization: company,
    contends: own.chance(0.1) && index > 0 ? FIRST_JOB + index - own.between(1, Math.min(4, index)) : null,
  }
}

/** Indices of the requests that jobs buy, apart from those of purchases. */
const FIRST_JOB = 1_000_000

/** The challenge or obligation that a purchase names. */
export const subjectOf = ({ index, contends }: Pick<Purchase, "index" | "contends">): number => contends ?? index

function pickHabit(random: Random, habits: Habits): Habit {
  let left = random.fraction()
  for (const [habit, share] of Object.entries(habits)) {
    left -= share
    if (left < 0) return habit as Habit
  }
  return "honest"
}

export interface Body {
  readonly text: string
  readonly headers: Readonly<Record<string, string>>
  /** The signed request for its recovery; null for the answer products. */
  readonly request: DecisionRequest | null
}

/** `at`: the buyer's clock, ms. `changed`: other content under the same key. */
export function bodyOf(purchase: Purchase, at: number, changed = false): Body {
  const body = purchase.product === "decision" ? decisionBody(purchase, at, changed) : ukBody(purchase, at, changed)
  const text = JSON.stringify(body)
  if (purchase.product === "decision") return { text, headers: {}, request: body as DecisionRequest }
  const headers = {
    "idempotency-key": purchase.idempotencyKey,
    "x-cdo-request-body-digest": `sha256:${hash("sha256", text)}`,
  }
  return { text, headers, request: null }
}

function decisionBody(purchase: Purchase, at: number, changed: boolean): DecisionRequest {
  const { organization: one, payer, index } = purchase
  const subject = subjectOf(purchase)
  // Some sign a second request with a used mandate.
  const mandate = purchase.contends !== null && index % 2 === 0 ? purchase.contends : index
  return signedRequest({
    at,
    organizationId: one.organizationId,
    agentId: one.agentId,
    agent: one.agent,
    mandateSigner: one.mandateKey,
    request: {
      decision_fee_payer: payer.address,
      idempotency_key: purchase.idempotencyKey,
      amount: AMOUNT,
      invoice: { obligation_id: `INV-${subject}`, document_digest: digestOf(`invoice ${subject}`) },
      payment_instruction_digest: digestOf(`instruction ${subject}${changed ? " changed" : ""}`),
    },
    mandate: { mandate_id: `mandate-${mandate}`, nonce: `mandate-nonce-${mandate}`.padEnd(24, "0") },
  })
}

function ukBody(purchase: Purchase, at: number, changed: boolean): object {
  const { index } = purchase
  const subject = subjectOf(purchase)
  return gbPaymentBody(
    {
      payee: {
        company_number: GB_NUMBER,
        payee_fingerprint: GB_OTHER_PAYEE,
        binding_evidence: binding({ reference: `simulated-cop-${index}` }, at),
      },
      vendor_change: {
        current_payee_fingerprint: GB_PAYEE,
        proposed_payee_fingerprint: GB_OTHER_PAYEE,
        prior_authorization_reference: priorOf(purchase.payer),
        challenge: challenge({ reference: `simulated-call-${subject}` }, at),
      },
      amount: changed ? "1251.00" : "1250.00",
      idempotency_key: purchase.idempotencyKey,
    },
    at,
  )
}

/** The body that recovers a decision without a payment. `nonce`: another one for each call. */
export function recoveryBody(purchase: Purchase, request: DecisionRequest, at: number, nonce: string): string {
  const authentication = { issued_at: formatInstant(at), nonce: nonce.padEnd(32, "0") }
  const { value } = signValue(
    purchase.organization.agent,
    recoverySigningValue(requestDigest(request), authentication, ORIGIN),
  )
  return JSON.stringify({ request, authentication: { ...authentication, signature: value } })
}
