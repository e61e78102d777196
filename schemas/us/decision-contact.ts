/** Contact for the Payment Decision: the channel of agent commerce (ACP), and the same on the route of the product. */
import { type Static, Type } from "@sinclair/typebox"
import { OfferingId } from "../acp/job.ts"
import { ACP_CHAIN_ID, ACP_CHANNEL_DEFAULT, ACP_OFFERING_NAME } from "../acp/terms.ts"
import { closed, digestOver, EvmAddress, enumeration } from "../common.ts"
import { CONTACT_ROW, contactMembers, draftOf, railMembers, X402Rail } from "../contact.ts"
import { operation } from "../operation.ts"
import { problem } from "../problem.ts"
import { text } from "../text.ts"
import { Intent } from "./covered.ts"
import { decisionContactExample } from "./example-bodies.ts"
import { DecisionRequest, PAYMENT_DECISION_PATH, PAYMENT_DECISION_PRODUCT } from "./payment-decision.ts"

const True = Type.Literal(true)
const False = Type.Literal(false)

/** RFC 5321: at most 254 characters. A later check reads the address. */
const Mailbox = text(3, 254)

/**
 * `reply_to` asks for the reply by e-mail, and `email_verification_token` is the proof of the mailbox that a challenge message brought. The
 * second form opts the mailbox out of e-mail.
 */
export const DecisionContact = Type.Union(
  [
    closed({
      intent: Intent,
      draft_request: Type.Optional(draftOf(DecisionRequest)),
      reply_to: Type.Optional(text(3, 254, { description: "As agent@host.example" })),
      email_verification_token: Type.Optional(text(16, 128)),
    }),
    closed({ action: Type.Literal("STOP"), reply_to: Mailbox }),
  ],
  { $id: "DecisionContact" },
)
export type DecisionContact = Static<typeof DecisionContact>
/** What `request_digest` is of: the body without the members about e-mail. */
export type DecisionDraft = Omit<Exclude<DecisionContact, { action: "STOP" }>, "reply_to" | "email_verification_token">

/** Interface, "Agent-commerce (ACP) purchase channel", step 1: the token expires after 15 minutes. */
export const EMAIL_TOKEN_SECONDS = 900

export const SigningModule = closed({
  uri: Type.String(),
  digest: digestOver("the bytes of the module as served without content coding"),
  function: Type.Literal("bindRequirement"),
})
export type SigningModule = Static<typeof SigningModule>

/** Interface, "Agent-commerce (ACP) purchase channel": the fixed facts of the job rail. */
export const JobRail = closed({
  ...railMembers,
  provider_address: Type.Optional(EvmAddress),
  offering_id: Type.Optional(OfferingId),
  escrow_contract: Type.Optional(EvmAddress),
  offering_name: Type.Literal(ACP_OFFERING_NAME),
  chain_id: Type.Literal(ACP_CHAIN_ID),
  sla_minutes: Type.Literal(15),
  minimum_seconds_before_deadline_to_fund: Type.Literal(180),
  evaluator: closed({ role_available: False, accepted: Type.Array(Type.Literal("NONE")) }),
  signing_module: SigningModule,
})
export type JobRail = Static<typeof JobRail>

export const DecisionContactAnswer = closed(
  {
    ...contactMembers,
    type: Type.String(),
    intent: Type.Literal("RELEASE_PAYMENT_TO_SUPPLIER"),
    authority_delegation: closed({
      required: True,
      enroll: closed({ method: Type.Literal("POST"), uri: Type.String() }),
      delegates: Type.Literal("AGENT_SIGNING_KEY"),
      for: Type.Literal("INDEPENDENTLY_VERIFIED_ORGANIZATION"),
      algorithm: Type.Literal("Ed25519"),
      canonicalization: Type.Literal("SVC-C14N-JSON-1"),
      free_agent_id_grants_payment_authority: False,
      required_evidence: Type.Array(Type.String()),
    }),
    purchase: closed({ x402: X402Rail, acp_job: JobRail }),
    email_path: closed({
      available: Type.Boolean(),
      mailbox: Type.Optional(Type.String()),
      token_ttl_seconds: Type.Optional(Type.Literal(EMAIL_TOKEN_SECONDS)),
    }),
  },
  { $id: "DecisionContactAnswer" },
)
export type DecisionContactAnswer = Static<typeof DecisionContactAnswer>

/**
 * STOPPED: the same for a mailbox that opted out before and for an unknown one. EMAIL_CHALLENGE_REQUESTED, with the digest: the same
 * for every mailbox, whether it gets a challenge message, has opted out, or had its messages of the day.
 */
export const ContactNotice = closed(
  {
    schema_version: Type.Literal("1.0.0"),
    status: enumeration("STOPPED", "EMAIL_CHALLENGE_REQUESTED"),
    limitations: Type.Array(Type.String()),
    next_machine_action: Type.String(),
    request_digest: Type.Optional(digestOver("C14N of the draft")),
  },
  { $id: "ContactNotice" },
)
export type ContactNotice = Static<typeof ContactNotice>

function decisionContact(id: string, path: string) {
  return operation({
    id,
    method: "POST",
    path,
    summary: "What a draft lacks, and how to buy; or STOP to e-mail",
    body: DecisionContact,
    exampleBody: decisionContactExample,
    responses: {
      200: { description: "The whole reply", schema: Type.Union([DecisionContactAnswer, ContactNotice]) },
      202: { description: "A token may arrive at reply_to", schema: ContactNotice },
      409: problem("Bad token"),
      503: problem("E-mail is off, or the store is unavailable"),
    },
    ...CONTACT_ROW,
    partOf: { id: PAYMENT_DECISION_PRODUCT, solution: null, jurisdiction: "US", coverage: "FEDERAL_ONLY" },
  })
}

export const contactPaymentDecision = decisionContact("contact_payment_decision", `${PAYMENT_DECISION_PATH}/contact`)

/** `channel`: the setting `acp_channel`. */
export function contactChannelOf(channel: string) {
  return decisionContact("contact_acp_channel", `/v1/channels/${channel}/contact`)
}

export const contactAcpChannel = contactChannelOf(ACP_CHANNEL_DEFAULT)
