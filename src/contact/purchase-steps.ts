/** The steps of a purchase, in the order to take them. Each sentence of the interface about the job rail is in one of them. */
import { ACP_CHAIN_ID } from "../../schemas/acp/terms.ts"
import { issueChallenge } from "../../schemas/agent-id/operations.ts"
import type { PurchaseStep } from "../../schemas/contact.ts"
import type { Operation } from "../../schemas/operation.ts"
import { enrollBuyerDelegation } from "../../schemas/us/buyer-onboarding.ts"
import { checkPaymentDecisionEligibility, recoverPaymentDecision } from "../../schemas/us/operations.ts"
import { PAYMENT_DECISION_PATH } from "../../schemas/us/payment-decision.ts"

type Step = Omit<PurchaseStep, "n">

function numbered(steps: readonly Step[]): PurchaseStep[] {
  return steps.map((step, index) => ({ n: index + 1, ...step }))
}

/** The first steps on both rails. */
function authority(baseUrl: string): Step[] {
  return [
    {
      id: "AGENT_ID",
      method: "POST",
      uri: baseUrl + issueChallenge.path,
      instruction: "Enrol a free Agent ID. The registration alone grants no payment authority.",
    },
    {
      id: "DELEGATE_KEY",
      method: "POST",
      uri: baseUrl + enrollBuyerDelegation.path,
      instruction:
        "The authority of the buyer organization must be verified independently. The organization then delegates the agent's signing key here.",
    },
    {
      id: "SIGN_REQUEST_AND_MANDATE",
      instruction:
        "Build the request and the mandate, and sign both. Each new authorization has a fresh mandate_id and a fresh nonce.",
    },
  ]
}

const VERIFY_DECISION =
  "Save the delivery exactly as it arrived. Verify the response digest, the signature of the Proof Capsule and its issuer key, revocation, the request correlation, coverage and validity. A valid HOLD or REVIEW is a correct delivery, not permission to pay the supplier."

/** The Payment Decision over x402. */
export function decisionSteps(baseUrl: string): PurchaseStep[] {
  const uri = baseUrl + PAYMENT_DECISION_PATH
  return numbered([
    ...authority(baseUrl),
    check(baseUrl + checkPaymentDecisionEligibility.path),
    quote(uri, "Review the request once more before you pay."),
    pay(uri),
    { id: "VERIFY_DELIVERY", instruction: VERIFY_DECISION },
    {
      id: "RECOVER",
      method: "POST",
      uri: baseUrl + recoverPaymentDecision.path,
      instruction: "If the delivery is lost, recover it with a fresh owner signature and without a payment.",
    },
  ])
}

/** Another product over x402. */
export function productSteps(baseUrl: string, { path, body, product }: Operation): PurchaseStep[] {
  const uri = baseUrl + path
  const members = (body as { readonly properties?: object } | undefined)?.properties ?? {}
  const review =
    product?.jurisdiction === "GB"
      ? "A person reviews the quote before it is paid. Send the headers Idempotency-Key and X-CDO-Request-Body-Digest."
      : "Review the request once more before you pay."
  return numbered([
    ...("requesting_agent" in members ? authority(baseUrl).slice(0, 2) : []),
    ...("requesting_agent" in members
      ? [{ id: "SIGN_REQUEST", instruction: "Sign the request with the delegated key." }]
      : []),
    check(`${uri}/eligibility`),
    quote(uri, review),
    pay(uri),
    {
      id: "VERIFY_ANSWER",
      instruction:
        "Save the answer exactly as it arrived, with the header Svc-Proof-Capsule. Verify the capsule, the issuer key and the validity. An answer is not permission to proceed: its decision and reason codes prevail.",
    },
  ])
}

function check(uri: string): Step {
  return { id: "CHECK_ELIGIBILITY", method: "POST", uri, instruction: "Run the free checks, and correct what fails." }
}

function quote(uri: string, review: string): Step {
  return {
    id: "REQUEST_QUOTE",
    method: "POST",
    uri,
    instruction: `Send the request without a payment. The response 402 is a quote of exactly this body, not a charge. ${review}`,
  }
}

function pay(uri: string): Step {
  return {
    id: "PAY_ONCE",
    method: "POST",
    uri,
    instruction:
      "With existing purchase authority, send the same body with Payment-Signature. If the response is lost, send the same payment again; never sign a second one.",
  }
}

/** The Payment Decision as a job on the chain (Interface, "Agent-commerce (ACP) purchase channel"). `module`: URL of the signing module. */
export function jobSteps(baseUrl: string, module: string): PurchaseStep[] {
  return numbered([
    ...authority(baseUrl),
    {
      id: "CREATE_JOB",
      instruction: `Build the ACP v4 envelope around the signed request with buyer_authorization null. Read the provider address and the offering id from the provider listing. Create the job with the official ACP client: provider, offering name, requirements JSON, chain id ${ACP_CHAIN_ID}, and the zero address as evaluator, because the evaluator role is unavailable.`,
    },
    { id: "PERSIST_JOB_ID", instruction: "Persist the returned job id before you retry anything." },
    {
      id: "BIND",
      method: "GET",
      uri: module,
      instruction:
        "Verify the job with the official client first. Then sign the final job binding with the requesting agent's Ed25519 key: bindRequirement(draft, actualJob, privateKey) of this module. The binding covers chain, job id, ACP client, provider and offering, the digest of the full requirement without buyer_authorization, purchase purpose, price, asset, network, and target_job if present. Set buyer_authorization to the algorithm Ed25519 and the base64url signature.",
    },
    {
      id: "SEND_FINAL_REQUIREMENT",
      instruction:
        "Send the final requirement as a requirement message from the same ACP client. The provider verifies the author and the signed delegation before it proposes its fixed budget.",
    },
    { id: "WAIT_BUDGET_EXACT", instruction: "Wait until the provider proposes a budget of exactly 0.79 USDC." },
    {
      id: "FUND_ONCE",
      instruction:
        "Fund the existing job once, only with existing purchase authority, the exact budget and at least three minutes before the on-chain deadline. If the deadline is missing, invalid or too close, do not fund. The provider checks parties, token, amount and contract state at a safe block. A funding observation that is not yet safe waits, and is no reason to fund again.",
    },
    {
      id: "READ_HISTORY_AND_VERIFY",
      instruction: `Read the job history. ${VERIFY_DECISION} To recover, use the same job and the same signed request. Funding, submission, completion, supplier payout and refund are separate facts; a completed status is no proof of received USDC.`,
    },
  ])
}
