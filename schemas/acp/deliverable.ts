/**
 * The deliverable of an ACP job, version 3: one canonical JSON text that the provider posts to the hub. The chain has only its keccak256, in
 * the event `JobSubmitted`.
 * CHOICE: the interface names the version, not the members. `response` has its own signature; every other member has none.
 */
import { type Static, Type } from "@sinclair/typebox"
import { PublicJwk } from "../agent-id/jwk.ts"
import {
  Correlation,
  closed,
  DateTime,
  digestOver,
  Identifier,
  KeyId,
  RequestDigest,
  RequirementDigest,
} from "../common.ts"
import { text } from "../text.ts"
import { DecisionResponse } from "../us/decision-response.ts"
import { PAYMENT_DECISION_PRICE, PAYMENT_DECISION_PRODUCT } from "../us/payment-decision.ts"
import { JobId, LowerCaseAddress, OfferingId } from "./job.ts"
import { ACP_ASSET_ADDRESS, ACP_CHAIN_ID, ACP_DELIVERABLE_TYPE } from "./terms.ts"

/** USDC on Base, in lower case. */
export const ACP_TOKEN = ACP_ASSET_ADDRESS.toLowerCase() as Lowercase<typeof ACP_ASSET_ADDRESS>

const ChainHash = Type.String({ pattern: "^0x[0-9a-f]{64}$" })
const BlockNumber = Type.String({ pattern: "^(0|[1-9][0-9]{0,19})$" })
const Uri = text(8, 512, { pattern: "^https?://[!-~]+$" })
const NotAsserted = Type.Literal("NOT_ASSERTED")

/** The job in which it was delivered, as read on the chain. */
const DeliveredJob = closed({
  chain_id: Type.Literal(ACP_CHAIN_ID),
  escrow_contract: LowerCaseAddress,
  on_chain_job_id: JobId,
  client_address: LowerCaseAddress,
  provider_address: LowerCaseAddress,
  offering_id: OfferingId,
})

/** The log `JobFunded` that the provider saw in a safe block, and that block. */
const FundingObservation = closed({
  tx_hash: ChainHash,
  log_index: Type.Integer({ minimum: 0 }),
  block_number: BlockNumber,
  block_hash: ChainHash,
  safe_block_number: BlockNumber,
  safe_block_hash: ChainHash,
  token: Type.Literal(ACP_TOKEN),
  amount_atomic: Type.Literal(PAYMENT_DECISION_PRICE.amount_atomic),
  /** Code behind the proxy of the escrow contract. Null if the contract is no proxy. */
  implementation: Type.Union([LowerCaseAddress, Type.Null()]),
})
export type FundingObservation = Static<typeof FundingObservation>

/** Where to read the key that signed the response, and whether it is revoked. A reader trusts a key that it got elsewhere. */
const DeliverableIssuer = closed({
  name: Identifier,
  key_id: KeyId,
  jwk: PublicJwk,
  jwks_uri: Uri,
  revocation_uri: Uri,
})
export type DeliverableIssuer = Static<typeof DeliverableIssuer>

export const AcpDeliverable = closed({
  deliverable_version: Type.Literal(3),
  type: Type.Literal(ACP_DELIVERABLE_TYPE),
  product: Type.Literal(PAYMENT_DECISION_PRODUCT),
  job: DeliveredJob,
  requirement_digest: RequirementDigest,
  binding_digest: digestOver("C14N of the job binding"),
  request_digest: RequestDigest,
  correlation: Correlation,
  funding_observation: FundingObservation,
  response: DecisionResponse,
  response_digest: Type.String({
    pattern: "^sha256:[0-9a-f]{64}$",
    description: "As response.delivery.response_digest: the response with that one member removed",
  }),
  issuer: DeliverableIssuer,
  /** What the provider knew when it froze the text. The later facts are read on the chain. */
  facts_at_issue: closed({
    funding: Type.Literal("SAFE"),
    submission: NotAsserted,
    completion: NotAsserted,
    supplier_payout: NotAsserted,
    refund: NotAsserted,
  }),
  recovery: closed({ method: Type.Literal("POST"), uri: Uri, payment_required: Type.Literal(false) }),
  issued_at: DateTime,
})
export type AcpDeliverable = Static<typeof AcpDeliverable>
