/** Replies of contact. A call asks no source and no node, and stores nothing but opt-outs and challenges of e-mail. */
import type { TSchema } from "@sinclair/typebox"
import { buyerSigningModuleOf } from "../../schemas/acp/operations.ts"
import { ACP_CHAIN_ID, ACP_OFFERING_NAME } from "../../schemas/acp/terms.ts"
import type { ContactAnswer, PurchaseStep, X402Rail } from "../../schemas/contact.ts"
import type { Operation } from "../../schemas/operation.ts"
import { PAYMENT_INTENT } from "../../schemas/us/covered.ts"
import {
  type ContactNotice,
  type DecisionContact,
  type DecisionContactAnswer,
  type DecisionDraft,
  EMAIL_TOKEN_SECONDS,
} from "../../schemas/us/decision-contact.ts"
import { releasePaymentDecision } from "../../schemas/us/operations.ts"
import { PAYMENT_DECISION_PRICE } from "../../schemas/us/payment-decision.ts"
import { type Digest, digestOf } from "../core/digest.ts"
import { amountMillionths } from "../core/money.ts"
import { formatInstant } from "../core/time.ts"
import { without } from "../core/without.ts"
import type { Call, Reply } from "../http/call.ts"
import type { JsonSchema } from "../http/expected-words.ts"
import { notAdmittedError } from "../http/free-writes.ts"
import { requireCovered } from "../http/read-body.ts"
import { publishedSchema } from "../http/request-documents.ts"
import { recordUnprovedStop } from "../store/contact/contact-stops.ts"
import type { FreeWriter } from "../store/free-writes/admit.ts"
import { delegationContract } from "./delegation-contract.ts"
import type { ContactDeps, JobOffering } from "./deps.ts"
import { decisionChecks, productChecks } from "./eligibility-checks.ts"
import { emailReply, mailboxPart, requireMailbox } from "./email-reply.ts"
import { decisionSteps, jobSteps, productSteps } from "./purchase-steps.ts"
import { walkSchema } from "./walk-schema.ts"

const LIMITATIONS = [
  "CONTACT_IS_NOT_A_DECISION",
  "SIGNATURES_AND_DIGESTS_NOT_CHECKED",
  "STATE_MAY_CHANGE_BEFORE_THE_QUOTE",
] as const

/** A paid row: its body is the request that a draft becomes. */
type PaidRow = Operation<TSchema>

export function contactReplies(deps: ContactDeps) {
  const { email } = deps
  const members = contactMembers(deps)
  const decisionAnswer = decisionAnswers(deps, members)

  function product(paid: PaidRow, { body, at }: Call<{ draft_request?: object }>): Reply {
    const answer: ContactAnswer = {
      ...members.common(paid, digestOf(body), at),
      ...walked(paid, body.draft_request),
      eligibility_checks: productChecks(members.baseUrl, paid),
      purchase: { x402: members.x402Rail(priceOf(paid), productSteps(members.baseUrl, paid)) },
    }
    return { status: 200, body: answer, note: { product: answer.product, contact: answer.status } }
  }

  async function decision(call: Call<DecisionContact>): Promise<Reply> {
    const { body, at } = call
    if ("action" in body) return replyStop(deps, body.reply_to, call.writer())
    const part = mailboxPart(email, body)
    const answer = await decisionAnswer(without(body, "reply_to", "email_verification_token"), at)
    return (
      (part && (await emailReply(part, answer.request_digest as Digest, call.writer()))) ?? {
        status: 200,
        body: answer,
        note: { product: answer.product, contact: answer.status },
      }
    )
  }

  return { product, decision, decisionAnswer }
}

type ContactMembers = ReturnType<typeof contactMembers>

/** The members that every answer of contact has. */
function contactMembers({ shell, takesPayments }: ContactDeps) {
  const baseUrl = shell.baseUrl()
  const schemas = new Map<string, ContactAnswer["input_schema"]>()

  /** The link to the published schema of a paid row, with the digest that its route states. */
  function inputSchema({ path, body }: PaidRow): ContactAnswer["input_schema"] {
    let link = schemas.get(path)
    if (link === undefined) {
      link = { uri: `${baseUrl}${path}/schema`, digest: digestOf(publishedSchema(body)) }
      schemas.set(path, link)
    }
    return link
  }

  function common(paid: PaidRow, requestDigest: Digest, at: number) {
    return {
      schema_version: "1.0.0" as const,
      product: paid.product?.id ?? "",
      request_digest: requestDigest,
      input_schema: inputSchema(paid),
      economic_activity: { charged: false, quote_created: false, settlement_created: false } as const,
      limitations: [...LIMITATIONS],
      valid_as_of: formatInstant(at),
    }
  }

  /** The service is paid on one network, in one asset. */
  function rail({ amount }: { readonly amount: string }) {
    return {
      amount,
      amount_atomic: String(amountMillionths(amount)),
      asset: "USDC" as const,
      network: shell.network,
    }
  }

  function x402Rail(price: { readonly amount: string }, steps: PurchaseStep[]): X402Rail {
    return { channel_available: takesPayments, ...rail(price), steps }
  }

  return { baseUrl, common, rail, x402Rail }
}

/** The members that say what a draft lacks. Throws ServiceError for a draft that the service does not cover. */
function walked(paid: PaidRow, draft: object = {}) {
  const schema = paid.body as TSchema & JsonSchema
  requireCovered(schema, draft, "/draft_request")
  const { missing, invalid, omitted, missing_one_of } = walkSchema(schema, draft)
  const lacks = missing.length > 0 || missing_one_of.length > 0
  const isComplete = !lacks && invalid.length === 0
  return {
    status: isComplete ? ("INPUT_COMPLETE" as const) : ("INPUT_REQUIRED" as const),
    missing_input_paths: [...missing],
    missing_one_of: [...missing_one_of],
    invalid_inputs: [...invalid],
    inputs_omitted: omitted,
    next_machine_action: lacks ? "PROVIDE_MISSING_INPUT" : isComplete ? "CHECK_ELIGIBILITY" : "CORRECT_REQUEST",
  }
}

function decisionAnswers(
  { acpChannel, jobOffering, email, signingModuleDigest }: ContactDeps,
  { baseUrl, common, rail, x402Rail }: ContactMembers,
) {
  const moduleUri = baseUrl + buyerSigningModuleOf(acpChannel).path

  /** The purchase over an on-chain job. `jobs` is null when the service serves none. */
  async function jobRail(jobs: JobOffering | null): Promise<DecisionContactAnswer["purchase"]["acp_job"]> {
    return {
      channel_available: jobs?.isTaking ?? false,
      ...rail(PAYMENT_DECISION_PRICE),
      ...(jobs && {
        provider_address: jobs.providerAddress,
        offering_id: jobs.offeringId,
        escrow_contract: jobs.escrowContract,
      }),
      offering_name: ACP_OFFERING_NAME,
      chain_id: ACP_CHAIN_ID,
      sla_minutes: 15,
      minimum_seconds_before_deadline_to_fund: 180,
      evaluator: { role_available: false, accepted: ["NONE"] },
      signing_module: { uri: moduleUri, digest: await signingModuleDigest(), function: "bindRequirement" },
      steps: jobSteps(baseUrl, moduleUri),
    }
  }

  /** The final answer. `at` in milliseconds. Throws ServiceError for a draft that the service does not cover. */
  return async function decisionAnswer(draft: DecisionDraft, at: number): Promise<DecisionContactAnswer> {
    const jobs = jobOffering()
    return {
      ...common(releasePaymentDecision, digestOf(draft), at),
      ...walked(releasePaymentDecision, draft.draft_request),
      limitations: [...LIMITATIONS, ...(jobs?.isTaking ? [] : ["ACP_JOBS_NOT_TAKEN"])],
      type: `svc.${acpChannel}.contact.v1`,
      intent: PAYMENT_INTENT,
      authority_delegation: delegationContract(baseUrl),
      eligibility_checks: decisionChecks(baseUrl),
      purchase: {
        x402: x402Rail(PAYMENT_DECISION_PRICE, decisionSteps(baseUrl)),
        acp_job: await jobRail(jobs),
      },
      email_path: email
        ? { available: true, mailbox: email.mailbox, token_ttl_seconds: EMAIL_TOKEN_SECONDS }
        : { available: false },
    }
  }
}

/** A repeated opt-out is a success. The reply does not say whether the mailbox was known. */
async function replyStop({ store }: ContactDeps, replyTo: string, writer: FreeWriter): Promise<Reply> {
  const { at } = writer
  const mailbox = requireMailbox(replyTo)
  const refused = await store.run(() => recordUnprovedStop(mailbox, formatInstant(at), writer))
  if (refused) throw notAdmittedError(refused, at)
  const answer: ContactNotice = {
    schema_version: "1.0.0",
    status: "STOPPED",
    limitations: ["EMAIL_ONLY", "HTTP_CONTACT_STAYS_OPEN"],
    next_machine_action: "NONE",
  }
  return { status: 200, body: answer, note: { contact: "STOPPED" } }
}

function priceOf({ id, price }: PaidRow): { readonly amount: string } {
  if (price === null) throw new TypeError(`${id} has no price`)
  return price
}
