/** What an offer of each product states now, and whether an earlier offer still holds. */
import type { OfferCapsule, OfferCapsulePayload } from "../../../../schemas/agent-mode/offer.ts"
import type { StatedEnvironment } from "../../../../schemas/environment.ts"
import { canonicalize } from "../../../core/canonical-json.ts"
import { digestOf } from "../../../core/digest.ts"
import type { AgentSalesDeps } from "../../deps.ts"
import type { ServedCatalogue } from "../../served-catalogue.ts"
import type { CatalogueLine, PaidLine } from "./sales-catalogue.ts"

/** The members of an offer that are the same for every agent. */
export type OfferTerms = Pick<
  OfferCapsulePayload,
  "environment" | "product_id" | "operation_id" | "method" | "uri" | "price" | "terms_digest" | "limitations"
>

export interface TermsParts {
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

export class CurrentTerms {
  #known: { readonly network: string; readonly texts: ReadonlyMap<string, string> } | null = null

  constructor(
    private readonly deps: Deps,
    private readonly catalogue: Pick<ServedCatalogue, "lines" | "parts">,
  ) {}

  /** Called outside a unit, because it hashes the terms when the network changes. While nothing is sold no offer holds. */
  now(): IsCurrent {
    const { findKey } = this.deps
    const network = this.catalogue.parts.network()
    const texts = network === null ? null : this.#textsOn(network)
    return ({ payload, signature }) => {
      const status = findKey(signature.key_id)?.status ?? "REVOKED"
      return status !== "REVOKED" && texts?.get(payload.product_id) === canonicalize(termsOf(payload))
    }
  }

  #textsOn(network: string): ReadonlyMap<string, string> {
    if (this.#known?.network !== network) {
      const parts = { environment: this.deps.environment, baseUrl: this.deps.baseUrl(), network }
      const texts = [...this.catalogue.lines.values()].flatMap((line): [string, string][] =>
        line.paid === null ? [] : [[line.productId, canonicalize(offerTerms(parts, line, line.paid))]],
      )
      this.#known = { network, texts: new Map(texts) }
    }
    return this.#known.texts
  }
}

function termsOf(payload: OfferCapsulePayload): OfferTerms {
  const { environment, product_id, operation_id, method, uri, price, terms_digest, limitations } = payload
  return { environment, product_id, operation_id, method, uri, price, terms_digest, limitations }
}
