/**
 * SVC-SERVICE-DOCUMENT-VERIFY-1: judges a capability manifest or a service proof with only the document, the issuer's public keys and a
 * clock. The same code runs in any JavaScript engine. It uses no network and no disk.
 */
import { CapabilityManifest } from "../../../schemas/discovery/capability-manifest.ts"
import { PublishedJwk } from "../../../schemas/discovery/jwks.ts"
import { ServiceProof } from "../../../schemas/discovery/service-proof.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { type ListedDigest, listedByManifest, listedByServiceProof } from "../../core/discovery/listed-digests.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { formatInstant, parseInstant, SECOND } from "../../core/time.ts"
import { checkKey, verifySignature } from "../portable/crypto.ts"
import { digestText, hashOfText, keyIdOf, sha256 } from "../portable/encoding.ts"
import { readText } from "../steps/identity/read-bundle.ts"
import { memberOf } from "../steps/options.ts"
import { needed, Run } from "../steps/run.ts"
import { placeOf, shapeFault } from "../steps/shape.ts"
import { Fault, must, type Outcome, resultOf, type Step } from "../steps/verdict.ts"
import {
  readServiceDocumentOptions,
  type ServiceDocumentOptions,
  type ServiceDocumentTerms,
} from "./service-document-options.ts"

export const SERVICE_DOCUMENT_PROCEDURE = "SVC-SERVICE-DOCUMENT-VERIFY-1"

/** Every verdict names each step, in this order. */
export type ServiceDocumentStep = "BYTES" | "SHAPE" | "SIGNATURE" | "TIMES" | "DOCUMENTS"

export interface ServiceDocumentConclusion {
  readonly version: 1
  readonly procedure: typeof SERVICE_DOCUMENT_PROCEDURE
  readonly result: Outcome
  readonly judged_at: string
  /** True if `at` was given. Then the verdict does not apply to the present. */
  readonly historical: boolean
  /** Null unless every step is VALID, so that no caller reads a forged document. */
  readonly payload: CapabilityManifest["payload"] | ServiceProof["payload"] | null
  readonly steps: readonly Step<ServiceDocumentStep>[]
}

const KINDS = [
  { schema: CapabilityManifest, listed: listedByManifest as (payload: never) => readonly ListedDigest[] },
  { schema: ServiceProof, listed: listedByServiceProof as (payload: never) => readonly ListedDigest[] },
]
type ServiceDocument = CapabilityManifest | ServiceProof

interface Shaped {
  readonly document: ServiceDocument
  readonly listed: readonly ListedDigest[]
}

/** Two correct clocks differ. Only the start of the window allows this difference, never its end. */
const SKEW_MAX = 30 * SECOND

/** `text` is the file content unchanged. Throws OptionError for unreadable options, never for a bad document. */
export async function verifyServiceDocument(
  text: string | Uint8Array,
  options: ServiceDocumentOptions,
): Promise<ServiceDocumentConclusion> {
  const terms = readServiceDocumentOptions(options)
  const run = new Run<ServiceDocumentStep>()
  const value = await run.step("BYTES", () => readBytes(text, terms))
  const shaped = await run.step("SHAPE", () => ({
    value: shapedDocument(needed(value, "BYTES").json),
    detail: "matches the closed schema of its kind",
  }))
  await run.step("SIGNATURE", async () => {
    const key = await requireSigned(needed(shaped, "SHAPE").document, terms)
    return { value: null, detail: `Ed25519, ${key.kid}, strict` }
  })
  await run.step("TIMES", () => ({
    value: null,
    detail: `valid until ${requireTime(needed(shaped, "SHAPE").document, terms)}`,
  }))
  await run.step("DOCUMENTS", () => ({ value: null, detail: requireListed(needed(shaped, "SHAPE"), terms) }))
  const result = resultOf(run.steps)
  return {
    version: 1,
    procedure: SERVICE_DOCUMENT_PROCEDURE,
    result,
    judged_at: formatInstant(terms.at),
    historical: terms.atGiven,
    payload: result === "VALID" && shaped ? shaped.document.payload : null,
    steps: run.steps,
  }
}

function readBytes(text: string | Uint8Array, { reformatted }: ServiceDocumentTerms) {
  const { value, canonical } = readText(text)
  must(canonical || reformatted, "NOT_CANONICAL", "Strict JSON, but not the canonical bytes the service sent.")
  return {
    value: { json: value },
    ...(canonical
      ? { detail: "strict JSON, exactly the canonical bytes" }
      : { detail: "strict JSON; not the bytes that were sent, as allowed", reasonCode: "REFORMATTED" }),
  }
}

function shapedDocument(value: JsonValue): Shaped {
  const domain = memberOf(memberOf(value, "payload"), "domain")
  const kind = KINDS.find(({ schema }) => schema.properties.payload.properties.domain.const === domain)
  if (!kind) {
    throw new Fault("DOMAIN_UNKNOWN", "This verifier reads capability manifests and service proofs.", "NOT_CHECKED")
  }
  const fault = shapeFault(kind.schema, value)
  if (fault) throw new Fault("SHAPE_MISMATCH", `The closed schema of the document is broken at ${placeOf(fault)}.`)
  const document = value as unknown as ServiceDocument
  return { document, listed: kind.listed(document.payload as never) }
}

/** Throws Fault unless a key of the issuer signed the payload while the key was in use. Returns the key. */
async function requireSigned(
  { payload, digest, signature }: ServiceDocument,
  { issuerKeys }: ServiceDocumentTerms,
): Promise<PublishedJwk> {
  const text = canonicalize(payload)
  must(digest === digestText(hashOfText(text)), "DIGEST_MISMATCH", "The digest is not that of the payload.")
  must(signature.issuer === payload.issuer, "ISSUER_DIFFERS", "Payload and signature name different issuers.")
  const key = keyOf(issuerKeys, signature.key_id)
  if (!key) {
    throw new Fault("KEY_UNKNOWN", `Key ${signature.key_id} is not among the issuer keys given.`, "NOT_CHECKED")
  }
  const genuine = await verifySignature(key.x, text, signature.value)
  must(genuine, "SIGNATURE_INVALID", "The signature does not verify.")
  must(key.svc_status !== "REVOKED", "KEY_REVOKED", "The key is revoked; nothing proves that it signed before.")
  const issued = parseInstant(payload.issued_at)
  const inUse = issued !== null && issued >= key.nbf * SECOND && issued < (key.exp + 1) * SECOND
  must(inUse, "KEY_NOT_IN_USE", "The document was issued outside the key's nbf and exp.")
  return key
}

/** Returns null for an unknown key, and for one that is not a well-formed statement key. */
function keyOf(issuerKeys: readonly JsonValue[], keyId: string): PublishedJwk | null {
  const found = issuerKeys.find((key) => memberOf(key, "kid") === keyId)
  if (found === undefined || shapeFault(PublishedJwk, found) !== null) return null
  const key = found as unknown as PublishedJwk
  return keyIdOf(key.x) === keyId && checkKey(key.x) === null ? key : null
}

/** Returns the end of the validity. */
function requireTime({ payload }: ServiceDocument, { at }: ServiceDocumentTerms): string {
  const [start, end] = [parseInstant(payload.issued_at), parseInstant(payload.valid_until)]
  must(start !== null && end !== null, "TIME_INVALID", "A time of the document is not in the calendar.")
  must(at >= start - SKEW_MAX, "NOT_YET_VALID", `Not valid before ${payload.issued_at}.`)
  must(at < end, "EXPIRED", `Expired ${payload.valid_until}.`)
  return payload.valid_until
}

/** Returns what was compared. */
function requireListed({ listed }: Shaped, { documents }: ServiceDocumentTerms): string {
  for (const [index, document] of documents.entries()) {
    const digest = digestText(typeof document === "string" ? hashOfText(document) : sha256(document))
    const isListed = listed.some((one) => one.digest === digest)
    must(isListed, "DOCUMENT_NOT_LISTED", `Document ${index + 1} of those given, ${digest}, is not listed.`)
  }
  return `${documents.length} of ${listed.length} listed documents were given, each with its listed digest`
}
