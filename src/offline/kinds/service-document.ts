/**
 * Verifies the two documents that a service signs about itself: the capability manifest and the service proof. Other documents of the
 * service, given as files, are compared with the digests that the signed document lists.
 */
import type { TSchema } from "@sinclair/typebox"
import { CapabilityManifest } from "../../../schemas/discovery/capability-manifest.ts"
import { ServiceProof } from "../../../schemas/discovery/service-proof.ts"
import { type ListedDigest, listedByManifest, listedByServiceProof } from "../../core/discovery/listed-digests.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { examine, type Kind, type Step } from "../examine.ts"
import type { Report } from "../report.ts"
import { readForm } from "../steps/shape.ts"
import { bytesStep, revocationStep, type Window } from "../steps/shared-steps.ts"
import type { VerifyInput, VerifyResult } from "../verify-input.ts"
import { readSignedDocument, SIGNED_STEPS, statedBySigned } from "./signed-document.ts"

interface VerifyServiceDocumentInput extends Omit<VerifyInput, "request" | "require" | "environment"> {
  /** Files that the document must list by digest. */
  readonly documents: readonly { readonly name: string; readonly bytes: Uint8Array }[]
}

export type ServiceDocument = CapabilityManifest | ServiceProof

/** One of the two documents. */
interface ServiceDocumentForm {
  readonly name: string
  /** Its first member. */
  readonly domain: string
  readonly schema: TSchema
  readonly listed: (payload: never) => readonly ListedDigest[]
}

const MANIFEST: ServiceDocumentForm = {
  name: "capability manifest",
  domain: CapabilityManifest.properties.payload.properties.domain.const,
  schema: CapabilityManifest,
  listed: listedByManifest,
}

const SERVICE_PROOF: ServiceDocumentForm = {
  name: "service proof",
  domain: ServiceProof.properties.payload.properties.domain.const,
  schema: ServiceProof,
  listed: listedByServiceProof,
}

export const SERVICE_DOCUMENTS: readonly ServiceDocumentForm[] = [MANIFEST, SERVICE_PROOF]

export interface OpenedServiceDocument {
  readonly value: JsonValue
  readonly signed: ServiceDocument
  readonly window: Window
  readonly listed: readonly ListedDigest[]
}

/** `value` matches the schema of the form. */
export function openedServiceDocument(value: JsonValue, { listed }: ServiceDocumentForm): OpenedServiceDocument {
  const signed = value as unknown as ServiceDocument
  const { payload } = signed
  const window = { valid_as_of: payload.issued_at, valid_until: payload.valid_until }
  return { value, signed, window, listed: listed(payload as never) }
}

export function verifyManifest(input: VerifyServiceDocumentInput): VerifyResult {
  return verify(input, MANIFEST)
}

export function verifyServiceProof(input: VerifyServiceDocumentInput): VerifyResult {
  return verify(input, SERVICE_PROOF)
}

function verify(input: VerifyServiceDocumentInput, form: ServiceDocumentForm): VerifyResult {
  const { report, document } = examine(kindOf(form), input)
  return { report, stated: document && statedBySigned(document.signed, null), case: null }
}

type ServiceDocumentStep = Step<VerifyServiceDocumentInput, OpenedServiceDocument>

function kindOf(form: ServiceDocumentForm): Kind<VerifyServiceDocumentInput, OpenedServiceDocument> {
  return {
    open: ({ bytes }, report) => open(bytes, report, form),
    steps: [bytesStep, ...SIGNED_STEPS, documents, scope, revocationStep],
  }
}

function open(bytes: Uint8Array, report: Report, form: ServiceDocumentForm): OpenedServiceDocument | null {
  const value = readSignedDocument(bytes, report)
  if (value === undefined) return null
  const { name, schema } = form
  const line = { schema, value, ok: `${name} 1.0.0`, invalid: `not a ${name} of its version` }
  return readForm(report, "schema", line) === null ? null : openedServiceDocument(value, form)
}

const documents: ServiceDocumentStep = ({ report, document: { listed }, given }) => {
  if (given.documents.length === 0) {
    report.note("documents", `none of the ${listed.length} listed was compared (--document)`)
  }
  for (const { name, bytes } of given.documents) {
    const digest = given.crypto.digestBytes(bytes)
    const found = listed.find((one) => one.digest === digest)
    report.check(
      `document ${name}`,
      found !== undefined,
      { ok: `${found?.path}, ${digest}`, invalid: "is not listed" },
      "ASKED",
    )
  }
}

const scope: ServiceDocumentStep = ({ report }) =>
  report.note("scope", "states what the service says about itself; no index, registry or buyer confirms it")
