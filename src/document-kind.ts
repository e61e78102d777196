/** Which verifier reads a file: everything `verify`, `replay` and `agent pay` are given says in its first members what it is. */
import { ANSWER_BUNDLE_FORMAT } from "../schemas/answer-bundle.ts"
import { memberOf, readDocument } from "./delivery/read-document.ts"
import { Report } from "./delivery/report.ts"

export type DocumentKind = "DECISION" | "ANSWER"

/** `DECISION` also for what is no document of ours: its verifier then says what is wrong with it. */
export function documentKind(bytes: Uint8Array): DocumentKind {
  const value = readDocument(bytes, new Report())?.value
  const isAnswer =
    memberOf(value, "format") === ANSWER_BUNDLE_FORMAT || memberOf(value, "product_or_solution") !== undefined
  return isAnswer ? "ANSWER" : "DECISION"
}
