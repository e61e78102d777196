/** Identifies a file given to `verify`, so that an error about a misplaced file can name its kind. */
import { ACP_DELIVERABLE_TYPE, ACP_REQUIREMENT_TYPE } from "../../schemas/acp/terms.ts"
import { AnswerCapsule } from "../../schemas/answer-capsule.ts"
import { isAnswerBundleFormat, isDeliveryBundleFormat } from "../../schemas/bundle-formats.ts"
import { CapabilityManifestPayload } from "../../schemas/discovery/capability-manifest.ts"
import { ServiceProofPayload } from "../../schemas/discovery/service-proof.ts"
import { ANSWER_PRODUCTS } from "../../schemas/products.ts"
import { CompanyPassportPayload } from "../../schemas/us/company-passport.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../schemas/us/payment-decision.ts"
import { decodeBase64url } from "../core/bytes.ts"
import { hasPrivateMaterial } from "../core/secrets/private-material.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { memberOf, readDocument } from "../documents/read-document.ts"
import { Report } from "../documents/report.ts"

/** The place of a file on the command line of `verify`. Null if `verify` does not read it. */
type Place = "FILE" | "--issuer" | "--capsule" | "--request" | "--requirement" | "--job"

export interface Recognised {
  /** With its article: "a JWK set". */
  readonly what: string
  readonly place: Place | null
  /** One sentence about the file, for example "this is a JWK set; it belongs to --issuer". */
  readonly sentence: string
}

interface Kind {
  readonly what: string
  readonly place: Place | null
  /** The end of the sentence if `place` does not define it. */
  readonly use?: string
}

/** Returns null for an unknown file. The test is loose on purpose: a damaged or newer file of a kind still has that kind. */
export function recogniseFile(bytes: Uint8Array): Recognised | null {
  const kind = kindOf(bytes)
  if (kind === null) return null
  const { what, place } = kind
  const use = kind.use ?? (place === "FILE" ? "verify it as FILE" : `it belongs to ${place}`)
  return { what, place, sentence: `this is ${what}; ${use}` }
}

function kindOf(bytes: Uint8Array): Kind | null {
  const document = readDocument(bytes, new Report())
  if (document) return jsonKind(document.value)
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, HEADER_TEXT_BYTES_MAX)).trim()
  const header = /^[A-Za-z0-9_-]+$/.test(text) ? decodeBase64url(text) : null
  const named = header && readDocument(header, new Report(), "header")
  return named && jsonKind(named.value)
}

const HEADER_TEXT_BYTES_MAX = 64 * 1024

/** `what` of the export bundle of an agent identity. */
export const AGENT_BUNDLE = "a bundle of an agent identity"

function jsonKind(value: JsonValue): Kind | null {
  const has = (...names: string[]) => names.every((name) => memberOf(value, name) !== undefined)
  const format = memberOf(value, "format")
  const product = memberOf(value, "product") ?? memberOf(value, "product_or_solution")
  const domain = memberOf(memberOf(value, "payload"), "domain")
  if (isPrivate(value)) return { what: "a file of private keys", place: null, use: "never share it" }
  const type = memberOf(value, "type")
  if (type === ACP_DELIVERABLE_TYPE) return { what: "the deliverable of an ACP job", place: "FILE" }
  if (type === ACP_REQUIREMENT_TYPE) return { what: "the requirement of an ACP job", place: "--requirement" }
  if (has("onChainJobId", "clientAddress")) return { what: "a file of the facts of an ACP job", place: "--job" }
  if (Array.isArray(memberOf(value, "keys"))) return { what: "a JWK set", place: "--issuer" }
  if (has("kty", "x")) return { what: "a single key", place: null, use: "--issuer takes the issuer's whole JWK set" }
  if (isDeliveryBundleFormat(format) || isAnswerBundleFormat(format)) return { what: "a bundle", place: "FILE" }
  if (has("bundle_type", "agent_id")) {
    return { what: AGENT_BUNDLE, place: null, use: "bizauth agent verify-bundle reads it" }
  }
  if (domain === AnswerCapsule.properties.payload.properties.domain.const) {
    return { what: "the capsule of an answer", place: "--capsule" }
  }
  if (domain === CompanyPassportPayload.properties.domain.const) return { what: "a company passport", place: "FILE" }
  if (domain === CapabilityManifestPayload.properties.domain.const)
    return { what: "a capability manifest", place: "FILE" }
  if (domain === ServiceProofPayload.properties.domain.const) return { what: "a service proof", place: "FILE" }
  if (has("payment_required") || has("x402Version", "accepts")) {
    return { what: "a quote", place: null, use: "nothing was delivered" }
  }
  if (has("type", "title", "status", "code")) {
    return { what: "an error response of a service", place: null, use: "nothing was delivered" }
  }
  if (has("body_digest", "payment_signature")) {
    return { what: "a signed payment", place: null, use: "whoever has it can make the payment happen" }
  }
  if (has("format", "source_id"))
    return { what: "a snapshot manifest", place: null, use: "bizauth sources verify reads it" }
  if (product === PAYMENT_DECISION_PRODUCT && has("proof_capsule")) return { what: "a delivery", place: "FILE" }
  if (ANSWER_PRODUCTS.some(({ id }) => id === product)) return { what: "an answer", place: "FILE" }
  if (has("buyer_mandate") || has("idempotency_key")) return { what: "a request", place: "--request" }
  return null
}

function isPrivate(value: JsonValue): boolean {
  const isKey = (one: JsonValue | undefined) =>
    typeof one === "object" && one !== null && memberOf(one, "kty") !== undefined && hasPrivateMaterial(one)
  return isKey(value) || isKey(memberOf(value, "operational")) || isKey(memberOf(value, "recovery"))
}
