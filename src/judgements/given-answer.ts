/** A delivered answer with its request and its facts, as its bundle has them. */
import type { StatedEnvironment } from "../../schemas/environment.ts"
import type { SourceFact } from "../../schemas/source-fact.ts"
import { CommandError, EXIT } from "../base/exit.ts"
import { plainText } from "../core/text/plain-text.ts"
import { type AnswerDocument, readAnswerDocument } from "../offline/kinds/answer-document.ts"
import { readDecisionDocument } from "../offline/kinds/decision-document.ts"
import { documentKind } from "../offline/kinds/document-kinds.ts"
import { Report } from "../offline/report.ts"
import { answerBundles } from "../products/common/answer-bundles.ts"
import { exportBundle } from "../products/common/export-bundle.ts"
import type { FactsWithHits } from "../products/common/stored-entries.ts"
import { ANSWER_RULES } from "../products/products.ts"
import type { DecidedCore } from "../products/screened-again.ts"
import type { DecidedAnswer } from "../products/screened-parties.ts"
import { decisionBundles } from "../products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../products/us/payment-decision/replay-rules.ts"
import type { Store } from "../store/engine/unit.ts"

export interface GivenAnswer extends DecidedAnswer {
  readonly answer: DecidedCore & { readonly policy: { readonly id: string; readonly version: string } }
  readonly facts: Omit<FactsWithHits, "sources"> & {
    readonly at: string
    readonly environment: StatedEnvironment
    readonly sources: readonly SourceFact[]
  }
}

const ANSWER_ID = /^(?:dec|exe|dlv|drq)_[A-Za-z0-9_-]{22}$/

/** Whether a text has the form of an id of an answer. */
export function isAnswerId(text: string): boolean {
  return ANSWER_ID.test(text)
}

/** By decision, execution, delivery or stored request id. Exits with 5 if the data directory has no such answer. */
export async function readStoredAnswer(store: Pick<Store, "read">, id: string): Promise<GivenAnswer> {
  const kinds = [decisionBundles(paymentDecisionRules), answerBundles(ANSWER_RULES)]
  const bytes = ANSWER_ID.test(id) ? await exportBundle(store, id, kinds) : null
  if (bytes !== null) return openBundle(bytes, id)
  throw new CommandError(
    EXIT.NOT_FOUND,
    `no acquired answer has the decision, execution, delivery or stored request id ${id}; bizauth answers list --ids shows them`,
  )
}

/** `name` is for messages. Exits with 3 or 4 for bytes that are no bundle of an answer. */
export function openBundle(bytes: Uint8Array, name: string): GivenAnswer {
  const report = new Report()
  const kind = documentKind(bytes)
  if (kind !== "ANSWER" && kind !== "DECISION") throw new CommandError(EXIT.NOT_CHECKED, `${name} is no answer`)
  if (kind === "ANSWER") {
    const document: AnswerDocument<(typeof ANSWER_RULES)[number]> | null = readAnswerDocument(
      bytes,
      ANSWER_RULES,
      report,
    )
    if (document?.bundle) return given(document.rules.id, document.answer, document.bundle)
    throw unopened(name, document !== null, report)
  }
  const document = readDecisionDocument(bytes, report)
  if (document?.bundle) return given(document.delivery.product, document.delivery, document.bundle)
  throw unopened(name, document !== null, report)
}

/** The schema of the bundle's format has accepted them. */
function given(
  product: string,
  answer: GivenAnswer["answer"],
  { request, facts }: { readonly request: object; readonly facts: object },
): GivenAnswer {
  return { product, answer, request, facts: facts as GivenAnswer["facts"] }
}

function unopened(name: string, isAnswer: boolean, report: Report): CommandError {
  if (isAnswer) {
    const wayOut = "give its id, or the bundle that bizauth export writes"
    return new CommandError(EXIT.NOT_CHECKED, `${name} is an answer without its request and its facts: ${wayOut}`)
  }
  const fault = report.lines.find(({ state }) => state === "INVALID" || state === "UNCHECKED")
  const exit = fault?.state === "INVALID" ? EXIT.INVALID : EXIT.NOT_CHECKED
  return new CommandError(exit, `${name}: ${fault ? `${fault.check}: ${plainText(fault.detail)}` : "not readable"}`)
}
