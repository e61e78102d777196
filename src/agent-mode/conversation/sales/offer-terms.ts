/** What an offer of each product states now, and whether an earlier offer still holds. */
import type { OfferCapsule, OfferCapsulePayload } from "../../../../schemas/agent-mode/offer.ts"
import type { StatedEnvironment } from "../../../../schemas/environment.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { digestOf } from "../../../core/digest.ts"
import type { AgentSalesDeps } from "../../deps.ts"
import type { ServedCatalogue } from "../../served-catalogue.ts"
import type { CatalogueLine, PaidLine } from "./sales-catalogue.ts"

/** The members of an offer that are the same for every agent. */
type OfferTerms = Pick<
  OfferCapsulePayload,
  "environment" | "product_id" | "operation_id" | "method" | "uri" | "price" | "terms_digest" | "limitations"
>

interface TermsParts {
  readonly environment: StatedEnvironment
  readonly baseUrl: string
  /** CAIP-2 id. */
  readonly network: string
}

export function offerTerms(
  { environment, baseUrl, network }: TermsParts,
  line: CatalogueLine,
  paid: PaidLine,
): OfferTerms {
  const { productId: product_id, coverage, chargeRule: charge_rule } = line
  const amount_atomic = String(paid.priceAtomic)
  const price = { amount: paid.price, amount_atomic, asset: "USDC", network, scheme: "exact" } as const
  const limitations = ["LIST_PRICE", "NO_RESERVATION", "NOT_A_DECISION", paid.reviewDuty]
  return {
    environment,
    product_id,
    operation_id: paid.operationId,
    method: "POST",
    uri: `${baseUrl}${paid.path}`,
    price,
    terms_digest: digestOf({ product_id, price, coverage, charge_rule, limitations }),
    limitations,
  }
}

/** Whether an offer still holds: it states what an offer would state now, and its key is not revoked. */
export type IsCurrent = (offer: OfferCapsule) => boolean

type Deps = Pick<AgentSalesDeps, "baseUrl" | "environment" | "findKey">

/** Called outside a unit, because it hashes the terms. While nothing is sold no offer holds. */
export function currentTerms(
  { environment, baseUrl, findKey }: Deps,
  { parts, lines }: Pick<ServedCatalogue, "lines" | "parts">,
): IsCurrent {
  const network = parts.network()
  const texts = new Map<string, string>()
  for (const line of lines.values()) {
    if (network === null || line.paid === null) continue
    const terms = offerTerms({ environment, baseUrl: baseUrl(), network }, line, line.paid)
    texts.set(line.productId, canonicalize(terms))
  }
  return ({ payload, signature }) => {
    const status = findKey(signature.key_id)?.status ?? "REVOKED"
    return status !== "REVOKED" && texts.get(payload.product_id) === canonicalize(termsOf(payload))
  }
}

function termsOf(payload: OfferCapsulePayload): OfferTerms {
  const { environment, product_id, operation_id, method, uri, price, terms_digest, limitations } = payload
  return { environment, product_id, operation_id, method, uri, price, terms_digest, limitations }
}
