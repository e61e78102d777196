/**
 * SVC-SERVICE-DOCUMENT-VERIFY-1: judges a capability manifest or a service proof with only the document, the issuer's public keys and a
 * clock, by the steps of `bizauth verify` and in the words of this procedure. It uses no network and no disk.
 */
import { isSandboxIssuer } from "../../core/sandbox/sandbox-issuer.ts"
import type { JsonValue } from "../../core/strict-json.ts"
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
import { type Conclusion, Report } from "../report.ts"
import { Fault, must } from "../steps/fault.ts"
import { BYTES, readText } from "../steps/read-text.ts"
import { needed, Run, type Step } from "../steps/run.ts"
import { placeOf, shapeFault } from "../steps/shape.ts"
import { requirePassed } from "../words/service-document-faults.ts"
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
  readonly result: Conclusion
  readonly judged_at: string
  /** True if `at` was given. Then the verdict does not apply to the present. */
  readonly historical: boolean
  /** Null unless every step is VALID, so that no caller reads a forged document. */
  readonly payload: ServiceDocument["payload"] | null
  readonly steps: readonly Step<ServiceDocumentStep>[]
}

/** `text` is the file content unchanged. Throws OptionError for unreadable options, never for a bad document. */
export async function verifyServiceDocument(
  text: string | Uint8Array,
  options: ServiceDocumentOptions,
): Promise<ServiceDocumentConclusion> {
  const terms = readServiceDocumentOptions(options)
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

/** Returns what was compared. */
function requireListed({ listed }: OpenedServiceDocument, { documents }: ServiceDocumentTerms): string {
  for (const [index, document] of documents.entries()) {
    const digest = PORTABLE_CRYPTO.digestBytes(document)
    const isListed = listed.some((one) => one.digest === digest)
    must(isListed, "DOCUMENT_NOT_LISTED", `Document ${index + 1} of those given, ${digest}, is not listed.`)
  }
  return `${documents.length} of ${listed.length} listed documents were given, each with its listed digest`
}
