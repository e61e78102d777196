/** Verdicts that several phases of a paid request share. A function `ofX` returns the verdict about X, or null when it has nothing to say. */
import type { ServiceError } from "../base/errors.ts"
import type { RequestRecord } from "../store/sales/requests.ts"
import { knownSale } from "./known-sale.ts"
import { alreadyAcquired } from "./sale-refusals.ts"
import type { FoundAnswer, KeyUse, SoldProduct, Verdict, WhyNot } from "./state.ts"

export const PENDING_OVER_JOB = { do: "PENDING", rail: "acp" } as const satisfies Verdict

export const refusal = (error: ServiceError): Verdict => ({ do: "REFUSE", error })

export const refusedFor = (error: ServiceError): WhyNot => ({ kind: "REFUSED", error })

export const follow = (attemptId: string): Verdict => ({ do: "FOLLOW", attemptId })

/** `payer`: absent when another payment than the presented one has the request. */
export function pending(payer?: string, transaction = ""): Verdict {
  return { do: "PENDING", rail: "x402", transaction, ...(payer !== undefined && { payer }) }
}

export const sameBody = (key: KeyUse) => (key.kind === "SAME_BODY" ? key.record : null)

/** The answer to a caller who owns the key and pays nothing; null if nobody bought the request. */
export function ofBought(product: SoldProduct, key: KeyUse): Verdict | null {
  const record = sameBody(key)
  if (record === null || knownSale(record) === "OPEN") return null
  return ofKnown(record, refusal(alreadyAcquired(product)))
}

/** What a caller hears of a request that is bought or being bought. `acquired`: if it is delivered. */
export function ofKnown(record: RequestRecord, acquired: Verdict): Verdict {
  const sale = knownSale(record)
  if (sale === "ACQUIRED") return acquired
  return sale === "OVER_JOB" ? PENDING_OVER_JOB : pending()
}

/** A second valid authorization of the same payer for a known request. It is neither stored nor sent, and its payer gets the answer. */
export function ofOtherAuthorization(
  { id }: RequestRecord,
  payer: string,
  answer: FoundAnswer | null | undefined,
  otherwise: Verdict,
): Verdict {
  if (answer === undefined) return { do: "FIND_ANSWER", requestId: id, withPayer: true }
  return answer?.payer === payer ? { do: "DELIVER", answer, replayed: true } : otherwise
}

/** Finds the execution id that a proved payer hears of; null when it is known, or there is none. */
export function ofReusedKey({ id, state }: RequestRecord, execution: string | null | undefined): Verdict | null {
  return state === "DELIVERED" && execution === undefined ? { do: "FIND_EXECUTION", requestId: id } : null
}
