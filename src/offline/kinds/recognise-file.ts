/** Identifies a file given to `verify`, so that an error about a misplaced file can name its kind. */
import { ACP_DELIVERABLE_TYPE, ACP_REQUIREMENT_TYPE } from "../../../schemas/acp/terms.ts"
import { AnswerCapsulePayload } from "../../../schemas/answer-capsule.ts"
import { isAnswerBundleFormat, isDeliveryBundleFormat } from "../../../schemas/bundle-formats.ts"
import { CapabilityManifestPayload } from "../../../schemas/discovery/capability-manifest.ts"
import { ServiceProofPayload } from "../../../schemas/discovery/service-proof.ts"
import { ReviewExportPayload } from "../../../schemas/review.ts"
import { CompanyPassportPayload } from "../../../schemas/us/company-passport.ts"
import { PAYMENT_DECISION_PRODUCT } from "../../../schemas/us/payment-decision.ts"
import { decodeBase64url } from "../../core/bytes.ts"
import { hasPrivateMaterial } from "../../core/secrets/private-material.ts"
import { isJsonObject, type JsonValue, memberOf } from "../../core/strict-json.ts"
import { readStrict } from "../steps/read.ts"
import { hasDomain } from "./payload-domain.ts"

/** The place of a file on the command line of `verify`. Null if `verify` does not read it. */
type Place = "FILE" | "--issuer" | "--capsule" | "--request" | "--requirement" | "--job"

export interface Recognised {
  /** With its article: "a JWK set". */
  readonly what: string
  readonly place: Place | null
  /** One sentence about the file, for example "this is a JWK set; it belongs to --issuer". */
  readonly sentence: string
}

interface Row {
  /** With its article. */
  readonly what: string
  readonly place: Place | null
  /** The end of the sentence if `place` does not define it. */
  readonly use?: string
  readonly isNamedBy: (value: JsonValue, answers: KnownProducts) => boolean
}

/** The products whose answers a program knows. */
export type KnownProducts = readonly { readonly id: string }[]

/** Returns null for an unknown file. The test is loose on purpose: a damaged or newer file of a kind still has that kind. */
export function recogniseFile(bytes: Uint8Array, answers: KnownProducts): Recognised | null {
  const row = rowOf(bytes, answers)
  if (row === null) return null
  const { what, place } = row
  const use = row.use ?? (place === "FILE" ? "verify it as FILE" : `it belongs to ${place}`)
  return { what, place, sentence: `this is ${what}; ${use}` }
}

function rowOf(bytes: Uint8Array, answers: KnownProducts): Row | null {
  const rowOfJson = (value: JsonValue) => ROWS.find(({ isNamedBy }) => isNamedBy(value, answers)) ?? null
  const document = readStrict(bytes)
  if ("value" in document) return rowOfJson(document.value)
  const text = new TextDecoder("latin1").decode(bytes.subarray(0, HEADER_TEXT_BYTES_MAX)).trim()
  const header = /^[A-Za-z0-9_-]+$/.test(text) ? decodeBase64url(text) : null
  const named = header && readStrict(header)
  return named && "value" in named ? rowOfJson(named.value) : null
}

const HEADER_TEXT_BYTES_MAX = 64 * 1024

/** `what` of the export bundle of an agent identity. */
export const AGENT_BUNDLE = "a bundle of an agent identity"

const has =
  (...names: string[]) =>
  (value: JsonValue) =>
    names.every((name) => memberOf(value, name) !== undefined)
const hasType = (type: string) => (value: JsonValue) => memberOf(value, "type") === type
const formatOf = (value: JsonValue) => memberOf(value, "format")
const productOf = (value: JsonValue) => memberOf(value, "product") ?? memberOf(value, "product_or_solution")

/** The first row that a file names is what it is. */
const ROWS: readonly Row[] = [
  { what: "a file of private keys", place: null, use: "never share it", isNamedBy: isPrivate },
  { what: "the deliverable of an ACP job", place: "FILE", isNamedBy: hasType(ACP_DELIVERABLE_TYPE) },
  { what: "the requirement of an ACP job", place: "--requirement", isNamedBy: hasType(ACP_REQUIREMENT_TYPE) },
  { what: "a file of the facts of an ACP job", place: "--job", isNamedBy: has("onChainJobId", "clientAddress") },
  { what: "a JWK set", place: "--issuer", isNamedBy: (value) => Array.isArray(memberOf(value, "keys")) },
  {
    what: "a single key",
    place: null,
    use: "--issuer takes the issuer's whole JWK set",
    isNamedBy: has("kty", "x"),
  },
  {
    what: "a bundle",
    place: "FILE",
    isNamedBy: (value) => isDeliveryBundleFormat(formatOf(value)) || isAnswerBundleFormat(formatOf(value)),
  },
  {
    what: AGENT_BUNDLE,
    place: null,
    use: "bizauth agent verify-bundle reads it",
    isNamedBy: has("bundle_type", "agent_id"),
  },
  {
    what: "the capsule of an answer",
    place: "--capsule",
    isNamedBy: hasDomain(AnswerCapsulePayload),
  },
  {
    what: "a company passport",
    place: "FILE",
    isNamedBy: hasDomain(CompanyPassportPayload),
  },
  {
    what: "a capability manifest",
    place: "FILE",
    isNamedBy: hasDomain(CapabilityManifestPayload),
  },
  { what: "a service proof", place: "FILE", isNamedBy: hasDomain(ServiceProofPayload) },
  { what: "an export of review records", place: "FILE", isNamedBy: hasDomain(ReviewExportPayload) },
  {
    what: "a quote",
    place: null,
    use: "nothing was delivered",
    isNamedBy: (value) => has("payment_required")(value) || has("x402Version", "accepts")(value),
  },
  {
    what: "an error response of a service",
    place: null,
    use: "nothing was delivered",
    isNamedBy: has("type", "title", "status", "code"),
  },
  {
    what: "a signed payment",
    place: null,
    use: "whoever has it can make the payment happen",
    isNamedBy: has("body_digest", "payment_signature"),
  },
  {
    what: "a snapshot manifest",
    place: null,
    use: "bizauth sources verify reads it",
    isNamedBy: has("format", "source_id"),
  },
  {
    what: "a delivery",
    place: "FILE",
    isNamedBy: (value) => productOf(value) === PAYMENT_DECISION_PRODUCT && has("proof_capsule")(value),
  },
  {
    what: "an answer",
    place: "FILE",
    isNamedBy: (value, answers) => answers.some(({ id }) => id === productOf(value)),
  },
  {
    what: "a request",
    place: "--request",
    isNamedBy: (value) => has("buyer_mandate")(value) || has("idempotency_key")(value),
  },
]

function isPrivate(value: JsonValue): boolean {
  const isKey = (one: JsonValue | undefined) =>
    isJsonObject(one) && memberOf(one, "kty") !== undefined && hasPrivateMaterial(one)
  return isKey(value) || isKey(memberOf(value, "operational")) || isKey(memberOf(value, "recovery"))
}
