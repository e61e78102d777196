/** A delivered answer with its request and its facts: by its id in the data directory, or as the bundle that `export` writes. */
import type { StatedEnvironment } from "../../../schemas/environment.ts"
import type { SourceFact } from "../../../schemas/source-fact.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import type { DataDirectory } from "../../data/data-directory.ts"
import { publishedKeys } from "../../keys/published-keys.ts"
import { type AnswerDocument, readAnswerDocument } from "../../offline/kinds/answer-document.ts"
import { readDecisionDocument } from "../../offline/kinds/decision-document.ts"
import { documentKind } from "../../offline/kinds/document-kinds.ts"
import { Report } from "../../offline/report.ts"
import { verifyFile } from "../../offline/verify-file.ts"
import { answerBundles } from "../../products/common/answer-bundles.ts"
import { exportBundle } from "../../products/common/export-bundle.ts"
import type { FactsWithHits } from "../../products/common/stored-entries.ts"
import { ANSWER_RULES } from "../../products/products.ts"
import type { DecidedCore } from "../../products/screened-again.ts"
import type { DecidedAnswer } from "../../products/screened-parties.ts"
import { decisionBundles } from "../../products/us/payment-decision/decision-bundles.ts"
import { paymentDecisionRules } from "../../products/us/payment-decision/replay-rules.ts"
import type { Store } from "../../store/engine/unit.ts"
import { listServiceKeys } from "../../store/identity/service-keys.ts"
import { KNOWN } from "./known-documents.ts"
import { readDocumentBytes } from "./read-document.ts"

export interface GivenAnswer extends DecidedAnswer {
  readonly answer: DecidedCore & { readonly policy: { readonly id: string; readonly version: string } }
  readonly facts: Omit<FactsWithHits, "sources"> & {
    readonly at: string
    readonly environment: StatedEnvironment
    readonly sources: readonly SourceFact[]
  }
}

const ANSWER_ID = /^(?:dec|exe|dlv|drq)_[A-Za-z0-9_-]{22}$/

/** Exits with 5 if the data directory has no such answer, or with 3 or 4 for a bundle that nobody may act on. `now` in milliseconds. */
export async function readGivenAnswer(
  { store, environment }: Pick<DataDirectory, "store" | "environment">,
  operand: string,
  now: number,
): Promise<GivenAnswer> {
  if (ANSWER_ID.test(operand)) return readStoredAnswer(store, operand)
  const bytes = await readDocumentBytes(operand)
  const given = openBundle(bytes, operand)
  if (given.facts.environment !== environment) {
    throw new CommandError(
      EXIT.INVALID,
      `${operand} is of the environment ${given.facts.environment}, and this data directory is of ${environment}: what a person judges in one does not count in the other`,
    )
  }
  await requireGenuine(store, { name: operand, bytes }, now)
  return given
}

/** By decision, execution, delivery or stored request id. Exits with 5 if the data directory has no such answer. */
export async function readStoredAnswer(store: Store, id: string): Promise<GivenAnswer> {
  const kinds = [decisionBundles(paymentDecisionRules), answerBundles(ANSWER_RULES)]
  const bytes = ANSWER_ID.test(id) ? await exportBundle(store, id, kinds) : null
  if (bytes !== null) return openBundle(bytes, id)
  throw new CommandError(
    EXIT.NOT_FOUND,
    `no acquired answer has the decision, execution, delivery or stored request id ${id}; bizauth answers list --ids shows them`,
  )
}

function openBundle(bytes: Uint8Array, name: string): GivenAnswer {
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
  return new CommandError(exit, `${name}: ${fault ? `${fault.check}: ${fault.detail}` : "not readable"}`)
}

/** By this service's own keys: an answer of another service is judged there. */
async function requireGenuine(store: Store, file: { name: string; bytes: Uint8Array }, now: number): Promise<void> {
  const jwks = publishedKeys(await store.read(() => listServiceKeys("statement")), { revoked: true })
  const keys = { name: "the keys of this data directory", bytes: new TextEncoder().encode(JSON.stringify(jwks)) }
  const { judgement } = await verifyFile(
    {
      document: async () => file,
      read: async (flag) => (flag === "issuer" ? keys : null),
      listed: async () => [],
      text: () => undefined,
      isGiven: () => false,
      reformatted: false,
    },
    KNOWN,
    now,
  )
  const { verdict, because } = judgement
  const why = because === null ? "" : ` (${because.check}: ${because.detail})`
  if (verdict === "REFUSED")
    throw new CommandError(EXIT.INVALID, `${file.name} is not genuine${why}; nobody may act on it`)
  if (verdict === "OPEN") {
    throw new CommandError(
      EXIT.NOT_CHECKED,
      `${file.name} cannot be checked with the keys of this data directory${why}; judge it where it was sold`,
    )
  }
}
