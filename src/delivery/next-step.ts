/**
 * What a presented payment is to the service, before any node is queried. Pure: the two records decide, read in one view of the store.
 * `take-payment.ts` acts on each member.
 */
import type { Attempt } from "../store/payments/attempts.ts"
import type { RequestRecord } from "../store/sales/requests.ts"

export type KnownAttempt = Pick<Attempt, "requestId" | "payloadSha256" | "state">
export type CurrentRequest = Pick<RequestRecord, "id" | "state" | "purchase">

export type Classified<K extends KnownAttempt, C extends CurrentRequest> =
  /** This service never saw the authorization, and no other payment claims the request. */
  | { readonly kind: "FIRST" }
  /** The header of an attempt of this request that was not released: its outcome is the response. */
  | { readonly kind: "SAME_PAYLOAD"; readonly known: K }
  /** The header of an attempt of another request. */
  | { readonly kind: "SAME_PAYLOAD_OF_ANOTHER_REQUEST" }
  /** The authorization of an attempt of another request, in another header. */
  | { readonly kind: "NONCE_OF_ANOTHER_REQUEST" }
  /** The authorization of a failed attempt of this request, in another header. */
  | { readonly kind: "FAILED_BEFORE"; readonly known: K }
  /** Another payment acquired the request or claims it. `known`: the attempt of the presented authorization, if this request has one. */
  | { readonly kind: "ACQUIRED_BY_ANOTHER_PAYMENT"; readonly current: C; readonly known: K | null }
  /** The authorization of an attempt of this request that was released, and no other payment claims the request. */
  | { readonly kind: "RELEASED_AGAIN"; readonly known: K }

/**
 * `known`: the attempt of the presented authorization (payer and nonce), of any request. `current`: the idempotency record of the key, if it
 * has the same body. `payloadSha256`: of the presented header.
 */
export function classify<K extends KnownAttempt, C extends CurrentRequest>(
  known: K | null,
  current: C | null,
  payloadSha256: string,
): Classified<K, C> {
  const samePayload = known?.payloadSha256 === payloadSha256
  if (known && known.requestId !== current?.id) {
    return { kind: samePayload ? "SAME_PAYLOAD_OF_ANOTHER_REQUEST" : "NONCE_OF_ANOTHER_REQUEST" }
  }
  if (known && samePayload && known.state !== "RELEASED") return { kind: "SAME_PAYLOAD", known }
  if (known?.state === "FAILED") return { kind: "FAILED_BEFORE", known }
  if (current?.state === "DELIVERED" || current?.purchase) {
    return { kind: "ACQUIRED_BY_ANOTHER_PAYMENT", current, known }
  }
  // A live or owed attempt claims its request, so only a released one comes here.
  return known ? { kind: "RELEASED_AGAIN", known } : { kind: "FIRST" }
}
