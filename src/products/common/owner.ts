import type { Digest } from "../../core/digest.ts"

/** Who owns an idempotency key (rulings 25). */
export type Owner<Request> = PayerOwner<Request> | SignerOwner<Request>

/** The payer, whom the signature of the payment proves. Nothing about a key is read or disclosed before that. */
interface PayerOwner<Request> {
  readonly kind: "PAYER"
  /** The signer of a request that an organization's agent signed. */
  signer?(request: Request): RequestSigner
}

/** The signed request names its owner. It is sold once over all rails of payment, and its owner recovers the answer without a payment. */
export interface SignerOwner<Request> {
  readonly kind: "SIGNER"
  signer(request: Request): RequestSigner
  texts(request: Request): SaleTexts
  scope(request: Request): string
  /** A late answer is replaced for the same subject. */
  subject(request: Request): string
  /** The only wallet that may pay, as the request names it. */
  payer(request: Request): string
  amountMillionths(request: Request): bigint
  /** Path of the route that returns an acquired answer to its owner. */
  readonly recoverPath: string
}

export interface RequestSigner {
  readonly organizationId: string
  readonly agentId: string
  readonly keyId: string
}

/** Digested and signed texts of a complete request. */
export interface SaleTexts {
  /** C14N of the request as sent. */
  readonly whole: string
  /** C14N that `requesting_agent.request_signature` signs. Null if the signature does not name the owner. */
  readonly signing: string | null
  readonly requestDigest: Digest
}
