/** The checks of one product before a quote: the lists for its paid route and for its eligibility route. */
import { ServiceError } from "../../base/errors.ts"
import type { AnyCheck } from "./check-input.ts"
import { NOT_EVALUATED } from "./pre-quote-check.ts"
import type { AnyProductRow } from "./product-row.ts"
import { checkSources, judgeRequiredSources } from "./source-failure.ts"

export interface QuoteChecks {
  /** These run before the service looks up whether the request was already bought (rulings 24). */
  readonly entry: readonly AnyCheck[]
  /** Those of `entry` that prove the key which signed the request. */
  readonly proof: readonly AnyCheck[]
  /** These run before a quote. */
  readonly rest: readonly AnyCheck[]
  /** Those of `rest` that run before a payment is accepted. The reserving transaction makes the others. */
  readonly paid: readonly AnyCheck[]
  /** Those of `rest` that have a line in the eligibility answer. */
  readonly lines: readonly AnyCheck[]
}

const PROOF = ["AGENT_KEY", "REQUEST_SIGNATURE"]

/** Builds the lists once per route. `isRestrictedWallet`: true if the service accepts no payment from a wallet (rulings 42). */
export function quoteChecks(product: AnyProductRow, isRestrictedWallet: (address: string) => boolean): QuoteChecks {
  const { entryChecks: entry, checksBeforeQuote, sourcesNeed } = product
  const sources: AnyCheck = {
    id: "SOURCES",
    needs: sourcesNeed,
    judge: ({ request, at }) => judgeSources(product, request, at),
  }
  const lines = [...checksBeforeQuote, sources, payerWallet(product, isRestrictedWallet)]
  const rest = [...lines, ...(product.lastCheck ? [product.lastCheck] : [])]
  return {
    entry,
    proof: entry.filter(({ id }) => PROOF.includes(id)),
    rest,
    paid: rest.filter(({ inReserve }) => !inReserve),
    lines,
  }
}

/** The refusal because of the required sources, in the form that the product gives it. `request` null: without the limits of one request. */
export function judgeSources(
  product: Pick<AnyProductRow, "sources" | "uncharged">,
  request: Parameters<AnyProductRow["sources"]>[0],
  at: number,
): ServiceError | null {
  const states = product.sources(request, at)
  return product.uncharged ? judgeRequiredSources(states, at) : checkSources(states, at)
}

function payerWallet({ owner }: AnyProductRow, isRestrictedWallet: (address: string) => boolean): AnyCheck {
  const judge = (payer: string) =>
    isRestrictedWallet(payer) ? new ServiceError("PAYER_RESTRICTED", "No payment is taken from this wallet.") : null
  return owner.kind === "SIGNER"
    ? {
        id: "DECISION_FEE_PAYER",
        needs: ["decision_fee_payer"],
        judge: ({ request }) => judge(owner.payer(request)),
      }
    : { id: "PAYER_WALLET", needs: [], judge: ({ payer }) => (payer === null ? NOT_EVALUATED : judge(payer)) }
}
