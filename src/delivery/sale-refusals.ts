/** The refusals of a paid route that follow from what the service knows of the request, its key or its payment. */
import { ServiceError } from "../base/errors.ts"
import type { HeaderFault } from "../payments/payment-header.ts"
import type { PaidProduct } from "./sale.ts"

/** The refusal of every quote while payments are off. */
export function paymentsOff(): ServiceError {
  return new ServiceError("PAYMENTS_OFF", "This server does not sell decisions.")
}

export function headerMalformed(fault: HeaderFault): ServiceError {
  return new ServiceError("PAYMENT_HEADER_MALFORMED", "Send one Payment-Signature header of x402 version 2.", {
    reasonCodes: [fault],
  })
}

/**
 * `executionId`: the answer of the idempotency record. Pass it only for an authorization that is unused and was never presented; anyone can
 * copy another one from the chain.
 */
export function keyReused(executionId: string | null = null): ServiceError {
  const named = executionId === null ? "" : ` The answer under the key is execution ${executionId}.`
  return new ServiceError(
    "IDEMPOTENCY_KEY_REUSED",
    `The key belongs to another body of this owner; no second charge is made.${named}`,
    executionId === null ? {} : { executionId },
  )
}

export function soldElsewhere(): ServiceError {
  return new ServiceError("REQUEST_ALREADY_SOLD", "Recover it over the rail it was bought on.")
}

export function alreadyAcquired({ recoverPath }: Pick<PaidProduct, "recoverPath">): ServiceError {
  return new ServiceError("ALREADY_ACQUIRED", `Recover it without payment at ${recoverPath ?? "its execution route"}.`)
}

export function acquiredByAnotherPayer(): ServiceError {
  return new ServiceError("ALREADY_ACQUIRED", "Another payer acquired it; this authorization was not used.")
}

/** The text is the same for every request, so that a caller who copied a signature from the chain learns nothing about a key. */
export function presentedBefore(): ServiceError {
  return new ServiceError(
    "PAYMENT_NONCE_REUSED",
    "This authorization was presented before and is not used again; only the exact header that first carried it gets the answer.",
  )
}

/** The unit that reserves found the authorization in use. */
export function spent(): ServiceError {
  return new ServiceError(
    "PAYMENT_NONCE_REUSED",
    "This authorization was presented before and cannot be used for this request; sign a new one.",
  )
}

/** A node did not say whether the payment is valid. */
export function notVerifiable(): ServiceError {
  return new ServiceError(
    "CHAIN_UNAVAILABLE",
    "The payment could not be checked, and this call reserved and sent nothing. Present the same payment again later.",
  )
}

/** A node did not say whether a rejected authorization is unused, so its payer may not hear of the key yet. */
export function useUnknown(): ServiceError {
  return new ServiceError(
    "CHAIN_UNAVAILABLE",
    "The payment was rejected, and whether its key was used before could not be checked. Present the same payment again later.",
  )
}

/** `reason`: of the release. */
export function givenUp(reason: string | null): ServiceError {
  return new ServiceError(
    "CHAIN_UNAVAILABLE",
    "The attempt was given up before anything was sent; present the same payment again.",
    { reasonCodes: reason ? [reason] : [] },
  )
}
