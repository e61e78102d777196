/** Reads a file of a business answer: a copy of an answer, its capsule, or the bundle of both that `export` writes. */
import { type AnswerBundle, answerBundle } from "../../../schemas/answer-bundle.ts"
import { AnswerCapsule } from "../../../schemas/answer-capsule.ts"
import { isAnswerBundleFormat } from "../../../schemas/bundle-formats.ts"
import type { BusinessAnswer } from "../../../schemas/business-answer.ts"
import { decodeBase64url } from "../../core/bytes.ts"
import { type JsonValue, memberOf } from "../../core/strict-json.ts"
import type { Report } from "../report.ts"
import { readDocument } from "../steps/read.ts"
import { checkForm } from "../steps/shape.ts"
import type { AnswerForm } from "./answer-form.ts"

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
  const document = readDocument(bytes, report)
  if (!document) return null
  const { value } = document
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
  if (!checkForm(report, "schema", form)) return null
  // The schema of its product has already accepted it.
  const bundle = bundled ? (value as unknown as AnswerBundle) : null
  return { value, rules, answer: bundle?.answer ?? (value as unknown as BusinessAnswer), bundle }
}

/** Reads a capsule: its JSON, or the text of its `Svc-Proof-Capsule` header. Returns null after reporting why it is no capsule. */
export function readCapsule(
  bytes: Uint8Array,
  report: Report,
): { readonly bytes: Uint8Array; readonly value: JsonValue; readonly capsule: AnswerCapsule } | null {
  const json = decodeBase64url(new TextDecoder().decode(bytes).trim()) ?? bytes
  const document = readDocument(json, report, "capsule")
  if (!document) return null
  const { value } = document
  if (memberOf(memberOf(value, "payload"), "domain") !== AnswerCapsule.properties.payload.properties.domain.const) {
    report.unchecked("capsule", "not a capsule of an answer")
    return null
  }
  const form = { schema: AnswerCapsule, value, ok: "1.0.0", invalid: "not a capsule of its version" }
  if (!checkForm(report, "capsule schema", form)) return null
  return { bytes: json, value, capsule: value as unknown as AnswerCapsule }
}
