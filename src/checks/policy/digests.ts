/**
 * The digests that caller and service must compute in the same way (the interface does not define them). `requestDigest` leaves out the
 * mandate, which contains the digest, and the request signature. The request signature covers the mandate, so no part of a signed request
 * can be replaced.
 */
import type { MandatePayload } from "../../../schemas/us/mandate.ts"
import { DecisionRequest, type Destination } from "../../../schemas/us/payment-decision.ts"
import type { RecoverableRequest } from "../../../schemas/us/recovery.ts"
import { canonicalBytes, canonicalize, canonicalMembers, joinMembers } from "../../core/canonical-json.ts"
import { type Digest, digestBytes, digestOf } from "../../core/digest.ts"
import { digestedRequest, unsignedRequest } from "../../core/unsigned-request.ts"
import { without } from "../../core/without.ts"

export function requestDigest(request: RecoverableRequest): Digest {
  return digestOf(digestedRequest(request))
}

/**
 * The bytes that `requesting_agent.request_signature` signs, for a decision request and for a vendor change. In a partial request
 * (eligibility) it covers the members that are present.
 */
export function requestSigningBytes(request: Pick<DecisionRequest, "requesting_agent">): Uint8Array {
  return canonicalBytes(unsignedRequest(request))
}

/** Every digested or signed text of one request. One walk over the members computes all three, because a quote needs all of them. */
interface RequestTexts {
  /** C14N of the request as sent. */
  readonly whole: string
  /** C14N that `requesting_agent.request_signature` signs. */
  readonly signing: string
  readonly requestDigest: Digest
}

export function requestTexts(request: RecoverableRequest): RequestTexts {
  const members = canonicalMembers(request)
  const whole = joinMembers(members)
  members.set("requesting_agent", canonicalize(without(request.requesting_agent, "request_signature")))
  const signing = joinMembers(members)
  members.delete("buyer_mandate")
  return { whole, signing, requestDigest: digestBytes(joinMembers(members)) }
}

export function mandateDigest(payload: MandatePayload): Digest {
  return digestOf(payload)
}

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** An EVM address is compared in one case (rulings 7), because its mixed case is only a checksum. Every other value keeps its case. */
export function fingerprint(destination: Omit<Destination, "fingerprint">): Digest {
  const { type, value, provider_namespace: namespace } = destination
  return digestOf({
    provider_namespace: namespace ?? null,
    type,
    value: EVM_ADDRESS.test(value) ? value.toLowerCase() : value,
  })
}

/** Where a request carries a digest of other members. */
export type DigestPointer =
  | "/payee/fingerprint"
  | "/payment_destination/fingerprint"
  | "/buyer_mandate/mandate_digest"
  | "/buyer_mandate/payload/request_digest"

/**
 * Returns the JSON pointers of digests that do not match a recomputation, or an empty list. In a partial request it compares only the
 * members present, and the mandate's request digest only if the request is complete. `known` is the request digest if the caller already
 * has it.
 */
export function digestFaults(request: Partial<DecisionRequest>, known?: Digest): DigestPointer[] {
  const faults: DigestPointer[] = []
  const { payee, payment_destination: destination, buyer_mandate: mandate } = request
  if (payee && fingerprint(payee) !== payee.fingerprint) faults.push("/payee/fingerprint")
  if (destination && fingerprint(destination) !== destination.fingerprint)
    faults.push("/payment_destination/fingerprint")
  if (!mandate) return faults
  if (mandateDigest(mandate.payload) !== mandate.mandate_digest) faults.push("/buyer_mandate/mandate_digest")
  const digest = known ?? (isWhole(request) ? requestDigest(request) : null)
  if (digest !== null && digest !== mandate.payload.request_digest) faults.push("/buyer_mandate/payload/request_digest")
  return faults
}

function isWhole(request: Partial<DecisionRequest>): request is DecisionRequest {
  return Object.keys(DecisionRequest.properties).every((member) => Object.hasOwn(request, member))
}
