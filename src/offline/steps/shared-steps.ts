/** The steps that several kinds of documents have. Each says what it needs of the document. */
import type { JsonValue } from "../../core/strict-json.ts"
import type { Step } from "../examine.ts"
import type { Environment, Requirements, VerifyInput } from "../verify-input.ts"
import { checkBytes, checkDigest } from "./content.ts"
import { checkSignature, type SignedStatement } from "./issuer-keys.ts"
import { checkRequired, checkTime, noteEnvironment, noteRevocation } from "./terms.ts"

export const bytesStep: Step<Pick<VerifyInput, "bytes">, { readonly value: JsonValue }> = ({
  report,
  document,
  given,
}) => checkBytes(report, "bytes", given.bytes, document.value)

/** A payload with its digest and its signature. */
export interface SignedPayload extends SignedStatement {
  readonly digest: string
}

/** The digest beside a payload. */
export const digestStep: Step<
  Pick<VerifyInput, "crypto">,
  { readonly signed: { readonly payload: object; readonly digest: string } }
> = ({ report, document: { signed }, given }) =>
  checkDigest(report, "digest", given.crypto.digestOf(signed.payload), signed.digest)

export const signatureStep: Step<Pick<VerifyInput, "keys" | "crypto">, { readonly signed: SignedStatement }> = ({
  report,
  document,
  given,
}) => checkSignature(report, document.signed, given)

/** RFC 3339 times between which a document is valid. */
export interface Window {
  readonly valid_as_of: string
  readonly valid_until: string
}

export const timeStep: Step<Pick<VerifyInput, "at">, { readonly window: Window }> = ({ report, document, given }) =>
  checkTime(report, document.window, given.at)

const requiredStep: Step<Pick<VerifyInput, "require">, { readonly action: string }> = ({ report, document, given }) =>
  checkRequired(report, given, document.action)

export const environmentStep: Step<Requirements, { readonly environment: Environment }> = ({
  report,
  document,
  given,
}) => noteEnvironment(report, given, document.environment)

/** What every kind that permits something reads from its document. */
export interface OpenedDocument {
  readonly value: JsonValue
  readonly signed: SignedStatement
  readonly window: Window
  readonly environment: Environment
  /** Its machine action. */
  readonly action: string
}

export const revocationStep: Step<unknown, unknown> = ({ report }) => noteRevocation(report)

interface OwnSteps<Given, Document> {
  /** What the document says about itself, before its signature. */
  readonly content: readonly Step<Given, Document>[]
  /** What its other parts, or the reader, say about it. */
  readonly compared: readonly Step<Given, Document>[]
  /** What the signature does not cover. */
  readonly unsigned: readonly Step<Given, Document>[]
}

/** Adds the steps that every kind that permits something must have. Their order is the order of the printed lines. */
export function permittingSteps<Given extends VerifyInput, Document extends OpenedDocument>({
  content,
  compared,
  unsigned,
}: OwnSteps<Given, Document>): readonly Step<Given, Document>[] {
  return [...content, signatureStep, timeStep, ...compared, requiredStep, environmentStep, ...unsigned, revocationStep]
}
