/** Reads a file of a business answer: a copy of an answer, its capsule, or the bundle of both that `export` writes. */
import type { TObject, TSchema } from "@sinclair/typebox"
import { type AnswerBundle, answerBundle } from "../../../schemas/answer-bundle.ts"
import { AnswerCapsule, AnswerCapsulePayload } from "../../../schemas/answer-capsule.ts"
import { isAnswerBundleFormat } from "../../../schemas/bundle-formats.ts"
import type { BusinessAnswer } from "../../../schemas/business-answer.ts"
import type { AnswerPolicyDocument } from "../../checks/policy/answer-policy.ts"
import { decodeBase64url } from "../../core/bytes.ts"
import { type JsonValue, memberOf } from "../../core/strict-json.ts"
import type { Report } from "../report.ts"
import { readDocument } from "../steps/read.ts"
import { readForm } from "../steps/shape.ts"
import { hasDomain } from "./payload-domain.ts"

/** What offline verification needs of a product: data only, so that it also runs in a browser. */
export interface AnswerForm {
  readonly id: string
  readonly schemas: { readonly request: TSchema; readonly facts: TObject; readonly answer: TSchema }
  /** Every published version. */
  readonly policies: readonly AnswerPolicyDocument[]
}

export interface AnswerDocument<Form> {
  readonly value: JsonValue
  readonly rules: Form
  readonly answer: BusinessAnswer
  /** Null if the document is an answer alone. */
  readonly bundle: AnswerBundle | null
}

/** Returns null after reporting why the document is neither an answer nor a bundle of a product in `known`. */
export function readAnswerDocument<Form extends Omit<AnswerForm, "policies">>(
  bytes: Uint8Array,
  known: readonly Form[],
  report: Report,
): AnswerDocument<Form> | null {
  const value = readDocument(bytes, report)
  if (value === undefined) return null
  const format = memberOf(value, "format")
  const bundled = isAnswerBundleFormat(format) ? format : null
  const answer = bundled ? memberOf(value, "answer") : value
  const rules = known.find(({ id }) => id === memberOf(answer, "product_or_solution"))
  if (!rules || memberOf(answer, "schema_version") !== "1.0.0") {
    report.unchecked("document", "unknown product, format or version")
    return null
  }
  const schema = bundled ? answerBundle(rules.schemas, bundled) : rules.schemas.answer
  const what = bundled ?? "answer 1.0.0"
  const form = { schema, value, ok: `${what}, ${rules.id}`, invalid: "does not match the schema of its product" }
  if (readForm(report, "schema", form) === null) return null
  // The schema of its product has already accepted it.
  const bundle = bundled ? (value as unknown as AnswerBundle) : null
  return { value, rules, answer: bundle?.answer ?? (value as unknown as BusinessAnswer), bundle }
}

const isCapsule = hasDomain(AnswerCapsulePayload)

/** Reads a capsule: its JSON, or the text of its `Svc-Proof-Capsule` header. Returns null after reporting why it is no capsule. */
export function readCapsule(
  bytes: Uint8Array,
  report: Report,
): { readonly bytes: Uint8Array; readonly value: JsonValue; readonly capsule: AnswerCapsule } | null {
  const json = decodeBase64url(new TextDecoder().decode(bytes).trim()) ?? bytes
  const value = readDocument(json, report, "capsule")
  if (value === undefined) return null
  if (!isCapsule(value)) {
    report.unchecked("capsule", "not a capsule of an answer")
    return null
  }
  const form = { schema: AnswerCapsule, value, ok: "1.0.0", invalid: "not a capsule of its version" }
  const capsule = readForm(report, "capsule schema", form)
  return capsule && { bytes: json, value, capsule }
}
