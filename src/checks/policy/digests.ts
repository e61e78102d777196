/**
 * The digests a caller must compute as we do (Interface leaves them open). `requestDigest` leaves out the mandate, which names it,
 * and the request signature; the request signature covers the mandate, so nothing of a signed request can be exchanged.
 */
import type { MandatePayload } from "../../../schemas/us/mandate.ts"
import { type DecisionRequest, type Destination, decisionRequestMembers } from "../../../schemas/us/payment-decision.ts"
import type { RecoverableRequest } from "../../../schemas/us/recovery.ts"
import { canonicalBytes, canonicalize, canonicalMembers, joinMembers } from "../../core/canonical-json.ts"
import { type Digest, digestBytes, digestOf, without } from "../../core/digest.ts"

export function requestDigest(request: RecoverableRequest): Digest {
  return digestOf(without(unsigned(request), "buyer_mandate"))
}

/**
 * The bytes `requesting_agent.request_signature` signs, of a decision request and of a vendor change alike. A partial request (eligibility)
 * signs what it has.
 */
export function requestSigningBytes(request: Pick<DecisionRequest, "requesting_agent">): Uint8Array {
  return canonicalBytes(unsigned(request))
}

/** What is digested or signed of one request, from one walk over its members: a quote needs all three. */
export interface RequestTexts {
  /** C14N of the request as it was sent. */
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

function unsigned<T extends Pick<DecisionRequest, "requesting_agent">>(request: T) {
  return { ...request, requesting_agent: without(request.requesting_agent, "request_signature") }
}

export function mandateDigest(payload: MandatePayload): Digest {
  return digestOf(payload)
}

const EVM_ADDRESS = /^0x[0-9a-fA-F]{40}$/

/** Rulings 7: one case for EVM addresses, whose mixed case is only a checksum; every other value as sent. */
export function fingerprint(destination: Omit<Destination, "fingerprint">): Digest {
  const { type, value, provider_namespace: namespace } = destination
  return digestOf({
    provider_namespace: namespace ?? null,
    type,
    value: EVM_ADDRESS.test(value) ? value.toLowerCase() : value,
  })
}

/**
 * JSON pointers of digests that do not recompute; none when all do. In a partial request only what is present is compared, and
 * the mandate's request digest only when the request is whole. `known` is its digest where the caller has it already.
 */
export function digestFaults(request: Partial<DecisionRequest>, known?: Digest): string[] {
  const faults: string[] = []
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
  return Object.keys(decisionRequestMembers).every((member) => Object.hasOwn(request, member))
}
