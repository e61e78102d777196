/**
 * SVC-SERVICE-DOCUMENT-VERIFY-1: judges a capability manifest or a service proof with only the document, the issuer's public keys and a
 * clock, by the steps of `bizauth verify` and in the words of this procedure. It uses no network and no disk.
 */
import type { DocumentCrypto } from "../../core/crypto/document-crypto.ts"
import { isSandboxIssuer } from "../../core/sandbox/sandbox-issuer.ts"
import { type JsonValue, memberOf } from "../../core/strict-json.ts"
import { formatInstant } from "../../core/time.ts"
import { domainOf } from "../kinds/payload-domain.ts"
import {
  type OpenedServiceDocument,
  openedServiceDocument,
  SERVICE_DOCUMENTS,
  type ServiceDocument,
} from "../kinds/service-document.ts"
import { SIGNED_STEPS } from "../kinds/signed-document.ts"
import { PORTABLE_CRYPTO } from "../portable/portable-crypto.ts"
import { type Conclusion, Report, type ReportLine } from "../report.ts"
import { Fault, must } from "../steps/fault.ts"
import { type IssuerKeys, statementKeys } from "../steps/issuer-keys.ts"
import { jsonOf, OptionError, timeOf } from "../steps/options.ts"
import { BYTES, readText } from "../steps/read-text.ts"
import { needed, type Passed, Run, type Step } from "../steps/run.ts"
import { placeOf, shapeFault } from "../steps/shape.ts"

const SERVICE_DOCUMENT_PROCEDURE = "SVC-SERVICE-DOCUMENT-VERIFY-1"

/** Every verdict names each step, in this order. */
type ServiceDocumentStep = "BYTES" | "SHAPE" | "SIGNATURE" | "TIMES" | "DOCUMENTS"

export interface ServiceDocumentOptions {
  /** JSON of the issuer's JWK set, obtained separately from the document. */
  readonly issuer: string
  /** Judge at this RFC 3339 time instead of now. */
  readonly at?: string
  /** Other documents of the service, unchanged. Each must be listed by its digest. */
  readonly documents?: readonly (string | Uint8Array)[]
  /** Accept bytes that are not canonical, such as a pretty-printed copy. */
  readonly reformatted?: boolean
}

export interface ServiceDocumentConclusion {
  readonly version: 1
  readonly procedure: typeof SERVICE_DOCUMENT_PROCEDURE
  readonly result: Conclusion
  readonly judged_at: string
  /** True if `at` was given. Then the verdict does not apply to the present. */
  readonly historical: boolean
  /** Null unless every step is VALID, so that no caller reads a forged document. */
  readonly payload: ServiceDocument["payload"] | null
  readonly steps: readonly Step<ServiceDocumentStep>[]
}

interface ServiceDocumentTerms {
  readonly keys: IssuerKeys
  readonly crypto: DocumentCrypto
  readonly at: number
  readonly atGiven: boolean
  readonly documents: readonly (string | Uint8Array)[]
  readonly reformatted: boolean
}

/** `text` is the file content unchanged. Throws OptionError for unreadable options, never for a bad document. */
export async function verifyServiceDocument(
  text: string | Uint8Array,
  options: ServiceDocumentOptions,
): Promise<ServiceDocumentConclusion> {
  const terms = readOptions(options)
  const run = new Run<ServiceDocumentStep>()
  const value = await run.step("BYTES", () => readBytes(text, terms))
  const document = await run.step("SHAPE", () => ({
    value: shaped(needed(value, "BYTES").json),
    detail: "matches the closed schema of its kind",
  }))
  const report = new Report()
  if (document) for (const step of SIGNED_STEPS) step({ report, document, given: terms })
  await run.step("SIGNATURE", () => requirePassed("SIGNATURE", report, needed(document, "SHAPE")))
  await run.step("TIMES", () => requirePassed("TIMES", report, needed(document, "SHAPE")))
  await run.step("DOCUMENTS", () => ({ value: null, detail: requireListed(needed(document, "SHAPE"), terms) }))
  const { result, steps } = run
  return {
    version: 1,
    procedure: SERVICE_DOCUMENT_PROCEDURE,
    result,
    judged_at: formatInstant(terms.at),
    historical: terms.atGiven,
    payload: result === "VALID" && document ? document.signed.payload : null,
    steps,
  }
}

const OPTIONS = ["issuer", "at", "documents", "reformatted"]

/** Throws OptionError. */
function readOptions(options: ServiceDocumentOptions): ServiceDocumentTerms {
  for (const name of Object.keys(options)) {
    if (!OPTIONS.includes(name)) throw new OptionError(name, `is no option; the options are ${OPTIONS.join(", ")}`)
  }
  const { issuer, at, documents = [], reformatted = false } = options
  if (typeof issuer !== "string") throw new OptionError("issuer", "takes the JSON of the issuer's JWK set")
  if (at !== undefined && typeof at !== "string") throw new OptionError("at", "takes a string")
  if (typeof reformatted !== "boolean") throw new OptionError("reformatted", "takes a boolean")
  const areDocuments =
    Array.isArray(documents) && documents.every((one) => typeof one === "string" || one instanceof Uint8Array)
  if (!areDocuments) throw new OptionError("documents", "takes a list of texts or bytes")
  const issuerKeys = memberOf(jsonOf("issuer", issuer), "keys")
  if (!Array.isArray(issuerKeys)) throw new OptionError("issuer", "takes the JSON of the issuer's JWK set")
  if (issuerKeys.some((key) => memberOf(key, "d") !== undefined)) {
    throw new OptionError("issuer", "contains private keys; never share it")
  }
  return {
    keys: statementKeys(issuerKeys, PORTABLE_CRYPTO),
    crypto: PORTABLE_CRYPTO,
    at: at === undefined ? Date.now() : timeOf(at),
    atGiven: at !== undefined,
    documents,
    reformatted,
  }
}

function readBytes(text: string | Uint8Array, { reformatted }: ServiceDocumentTerms) {
  const { value, canonical } = readText(text)
  must(canonical || reformatted, "NOT_CANONICAL", BYTES.other)
  return {
    value: { json: value },
    ...(canonical ? { detail: BYTES.canonical } : { detail: BYTES.reformatted, reasonCode: "REFORMATTED" }),
  }
}

function shaped(value: JsonValue): OpenedServiceDocument {
  const domain = domainOf(value)
  const form = SERVICE_DOCUMENTS.find((one) => one.domain === domain)
  if (!form) {
    throw new Fault("DOMAIN_UNKNOWN", "This verifier reads capability manifests and service proofs.", "NOT_CHECKED")
  }
  const fault = shapeFault(form.schema, value)
  if (fault) throw new Fault("SHAPE_MISMATCH", `The closed schema of the document is broken at ${placeOf(fault)}.`)
  const document = openedServiceDocument(value, form)
  const isOfSandbox = isSandboxIssuer(document.signed.payload.issuer)
  must(!isOfSandbox, "SANDBOX", "A document of the sandbox: anyone can make its keys.")
  return document
}

/** The checks of a step, and the one whose detail the step repeats when all passed. */
const CHECKS = {
  SIGNATURE: { checks: ["digest", "issuer", "signature", "key status", "key window"], repeats: "signature" },
  TIMES: { checks: ["time"], repeats: "time" },
} as const

/** Throws {@link Fault} for the first check of the step that did not pass. */
function requirePassed(step: keyof typeof CHECKS, report: Report, document: OpenedServiceDocument): Passed<null> {
  const { checks, repeats } = CHECKS[step]
  const lines = report.lines.filter(({ check }) => checks.some((name) => name === check))
  const failed = lines.find(({ state }) => state !== "OK")
  if (failed) throw faultOf(failed, report, document)
  return { value: null, detail: lines.find(({ check }) => check === repeats)?.detail ?? "" }
}

/** Lines that are invalid for one reason only. */
const INVALID: Readonly<Record<string, readonly [code: string, sentence: string]>> = {
  digest: ["DIGEST_MISMATCH", "The digest is not that of the payload."],
  issuer: ["ISSUER_DIFFERS", "Payload and signature name different issuers."],
  signature: ["SIGNATURE_INVALID", "The signature does not verify."],
  "key status": ["KEY_REVOKED", "The key is revoked; nothing proves that it signed before."],
  "key window": ["KEY_NOT_IN_USE", "The document was issued outside the key's nbf and exp."],
  time: ["TIME_INVALID", "A time of the document is not in the calendar."],
}

function faultOf({ check, state }: ReportLine, { currency }: Report, { signed, window }: OpenedServiceDocument): Fault {
  if (state === "UNCHECKED") {
    const sentence = `Key ${signed.signature.key_id} is not among the issuer keys given.`
    return new Fault("KEY_UNKNOWN", sentence, "NOT_CHECKED")
  }
  if (check === "time" && currency === "NOT_YET_VALID") {
    return new Fault(currency, `Not valid before ${window.valid_as_of}.`)
  }
  if (check === "time" && currency === "EXPIRED") return new Fault(currency, `Expired ${window.valid_until}.`)
  const [code, sentence] = INVALID[check] ?? ["", ""]
  if (code === "") throw new TypeError(`the procedure has no words for ${check}`)
  return new Fault(code, sentence)
}

/** Returns what was compared. */
function requireListed({ listed }: OpenedServiceDocument, { documents }: ServiceDocumentTerms): string {
  for (const [index, document] of documents.entries()) {
    const digest = PORTABLE_CRYPTO.digestBytes(document)
    const isListed = listed.some((one) => one.digest === digest)
    must(isListed, "DOCUMENT_NOT_LISTED", `Document ${index + 1} of those given, ${digest}, is not listed.`)
  }
  return `${documents.length} of ${listed.length} listed documents were given, each with its listed digest`
}
