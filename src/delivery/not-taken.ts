/** Decides each step about a payment that is not taken: the last phase of a call whose payment was rejected, or whose request was refused. */
import type { Authorization } from "../payments/authorization.ts"
import { FOREIGN_QUOTE } from "../payments/quote.ts"
import type { Attempt } from "../store/payments/attempts.ts"
import { knownSale } from "./known-sale.ts"
import { acquiredByAnotherPayer, keyReused, useUnknown } from "./sale-refusals.ts"
import { GIVEN_UP_THOUGH_USED, type NotTaken, type Verdict, type WhyNot } from "./state.ts"
import { follow, ofBought, ofKnown, ofOtherAuthorization, ofReusedKey, pending, refusal } from "./verdicts.ts"

/** While this call queried the node, an equal call may have reserved and sent the payment. Then its outcome is the response. */
export function ofRejected(s: NotTaken): Verdict {
  const { equal, why, payment, proved, product, current } = s
  if (equal && equal.state !== "RELEASED") return follow(equal.id)
  const unproved = equal?.watched === 1 ? ofReleasedEqual(s, equal) : null
  if (unproved) return unproved
  if (why.kind === "REFUSED") return refusal(why.error)
  if (proved === undefined) return { do: "PROVE_PAYER", payment }
  const used = proved && ofUsedKey(s, proved)
  if (used) return used
  if (product.owner === "SIGNER") {
    // The request's signature proves the owner. The request may have been bought before this call, or while it queried the node.
    if (current === undefined) return { do: "FIND_CURRENT" }
    const bought = ofBought(product, current)
    if (bought) return bought
  }
  return ofNewQuote(s, why)
}

/**
 * An equal call reserved and released while this one worked, so this one never asked the chain about it. A new quote could make the buyer pay
 * twice. Null when the authorization is unused.
 */
function ofReleasedEqual({ isJudged, why, mayHavePaid }: NotTaken, equal: Attempt): Verdict | null {
  if (equal.reason === GIVEN_UP_THOUGH_USED) return pending(equal.payer)
  if (isJudged) return null
  if (why.kind === "REJECTED") return pending(equal.payer)
  if (mayHavePaid === undefined) return { do: "MAY_HAVE_PAID", attempt: equal, reason: equal.reason ?? "" }
  return mayHavePaid ? pending(equal.payer) : null
}

/** The time of a quote of this service counts in place of `evaluated_at`, also after it has expired (rulings 24). */
function ofNewQuote({ checked }: NotTaken, { reason, headSeconds }: Extract<WhyNot, { kind: "REJECTED" }>): Verdict {
  if (checked === undefined) {
    return { do: "CHECK", step: reason === FOREIGN_QUOTE ? "QUOTE" : "REQUOTE", time: "ARRIVAL" }
  }
  const error = checked.refusal ?? checked.notReady
  return error ? refusal(error) : { do: "QUOTE", error: reason, headSeconds }
}

/**
 * A rejected payment gets a new quote, and in the UK a person reviews it. A payer whose key is used gets the answer of the paid call
 * instead, so that nobody reviews a quote that cannot be bought. Null for a key that is not used.
 */
function ofUsedKey({ used, onChain, answer, execution }: NotTaken, proved: Authorization): Verdict | null {
  if (used === undefined) return { do: "FIND_USED_KEY", authorization: proved }
  if (used.kind === "FREE") return null
  const { record } = used
  if (used.kind === "SAME_BODY" && knownSale(record) === "OPEN") return null
  if (onChain === undefined) return { do: "FIND_ON_CHAIN", authorization: proved }
  if (onChain === "UNAVAILABLE") return refusal(useUnknown())
  if (onChain) return null
  if (used.kind === "SAME_BODY") {
    return ofOtherAuthorization(record, proved.from, answer, ofKnown(record, refusal(acquiredByAnotherPayer())))
  }
  return ofReusedKey(record, execution) ?? refusal(keyReused(execution))
}
