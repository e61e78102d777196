/**
 * Verifies the two documents that a service signs about itself: the capability manifest and the service proof. Other documents of the
 * service, given as files, are compared with the digests that the signed document lists.
 */
import type { TSchema } from "@sinclair/typebox"
import { CapabilityManifest } from "../../../schemas/discovery/capability-manifest.ts"
import { ServiceProof } from "../../../schemas/discovery/service-proof.ts"
import { type ListedDigest, listedByManifest, listedByServiceProof } from "../../core/discovery/listed-digests.ts"
import { Report } from "../report.ts"
import {
  checkBytes,
  checkDigest,
  checkTime,
  noteRevocation,
  type VerifyInput,
  type VerifyResult,
} from "../steps/check-document.ts"
import { checkSignature } from "../steps/issuer-keys.ts"
import { checkForm, memberOf, readDocument } from "../steps/read-document.ts"

export interface VerifyServiceDocumentInput extends Omit<VerifyInput, "request" | "require" | "environment"> {
  /** Files that the document must list by digest. */
  readonly documents: readonly { readonly name: string; readonly bytes: Uint8Array }[]
}

interface Kind<Payload> {
  readonly name: string
  readonly schema: TSchema
  readonly listed: (payload: Payload) => readonly ListedDigest[]
}

const MANIFEST: Kind<CapabilityManifest["payload"]> = {
  name: "capability manifest",
  schema: CapabilityManifest,
  listed: listedByManifest,
}

const SERVICE_PROOF: Kind<ServiceProof["payload"]> = {
  name: "service proof",
  schema: ServiceProof,
  listed: listedByServiceProof,
}

export function verifyManifest(input: VerifyServiceDocumentInput): VerifyResult {
  return verify(input, MANIFEST)
}

export function verifyServiceProof(input: VerifyServiceDocumentInput): VerifyResult {
  return verify(input, SERVICE_PROOF)
}

function verify<Payload extends CapabilityManifest["payload"] | ServiceProof["payload"]>(
  input: VerifyServiceDocumentInput,
  kind: Kind<Payload>,
): VerifyResult {
  const report = new Report(input.reformatted)
  const document = readDocument(input.bytes, report)
  if (!document) return { report, stated: null }
  const { value } = document
  if (memberOf(memberOf(value, "payload"), "schema_version") !== "1.0.0") {
    report.unchecked("document", "unknown version")
    return { report, stated: null }
  }
  const form = { schema: kind.schema, value, ok: `${kind.name} 1.0.0`, invalid: `not a ${kind.name} of its version` }
  if (!checkForm(report, "schema", form)) return { report, stated: null }
  // The schema has already accepted it.
  const signed = value as unknown as (CapabilityManifest | ServiceProof) & { readonly payload: Payload }
  const { payload } = signed
  checkBytes(report, "bytes", input.bytes, value)
  checkDigest(report, "digest", input.crypto.digestOf(payload), signed.digest)
  checkSignature(report, signed, input)
  checkTime(report, { valid_as_of: payload.issued_at, valid_until: payload.valid_until }, input.at)
  checkListed(report, kind.listed(payload), input)
  report.note("scope", "states what the service says about itself; no index, registry or buyer confirms it")
  noteRevocation(report)
  return {
    report,
    stated: {
      product: payload.domain,
      decisionId: null,
      reference: signed.digest,
      decision: null,
      machineAction: null,
      reasons: [],
      validUntil: payload.valid_until,
      environment: null,
    },
  }
}

function checkListed(
  report: Report,
  listed: readonly ListedDigest[],
  { documents, crypto }: Pick<VerifyServiceDocumentInput, "documents" | "crypto">,
): void {
  if (documents.length === 0) report.note("documents", `none of the ${listed.length} listed was compared (--document)`)
  for (const { name, bytes } of documents) {
    const digest = crypto.digestBytes(bytes)
    const found = listed.find((one) => one.digest === digest)
    report.check(`document ${name}`, found !== undefined, `${found?.path}, ${digest}`, "is not listed", "ASKED")
  }
}
