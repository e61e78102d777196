/** What the next answer to a stored question would be, by today's lists and judgements. It is no answer: nothing is signed, stored or sent. */
import { caseOf } from "../case/case-of.ts"
import type { JsonValue } from "../core/strict-json.ts"
import { formatInstant } from "../core/time.ts"
import { PRODUCTS } from "../products/products.ts"
import { type DecidedCore, decideBy, screenAgain } from "../products/screened-again.ts"
import type { SourceState } from "../sources/boards/source-board.ts"
import type { GivenAnswer } from "./given-answer.ts"
import type { JudgingLists } from "./judging-lists.ts"

export interface Tried {
  readonly given: GivenAnswer
  readonly core: DecidedCore
  /** With today's screening. */
  readonly facts: object
  readonly notes: readonly string[]
  /** What was not done again, one sentence each. */
  readonly left: readonly string[]
}

type TodaysLists = Pick<JudgingLists, "index" | "suppressions" | "at"> & { readonly sources: readonly SourceState[] }

/** Null if this program does not have the policy of the answer. The lists must be healthy: otherwise no answer is sold now. */
export function tryAgain(given: GivenAnswer, lists: TodaysLists): Tried | null {
  const facts = screenAgain(given, lists)
  const core = decideBy(given, facts, given.answer.policy)
  return core && { given, core, facts, notes: notesOf(given, core, facts), left: notDoneAgain(given, lists.at) }
}

function notesOf({ request }: GivenAnswer, core: DecidedCore, facts: object): readonly string[] {
  const [answer, asked, found] = [core, request, facts].map((one) => one as JsonValue)
  return caseOf({ answer, request: asked, facts: found, policy: null })?.notes ?? []
}

function notDoneAgain({ product, facts, answer: { policy } }: GivenAnswer, at: number): readonly string[] {
  const current = PRODUCTS.find(({ id }) => id === product)?.policies.at(-1)
  const isCurrent = current === undefined || (current.id === policy.id && current.version === policy.version)
  return [
    `time: the answer is decided as of ${facts.at}; what ended from then to ${formatInstant(at)}, such as a mandate or evidence, still counts`,
    "registers and the company's registration: as stored",
    "the buyer's records, mandate, delegation, earlier answers, destinations and references: as stored",
    ...(isCurrent ? [] : [`policy: ${policy.version}; new answers are decided by ${current.version}`]),
  ]
}
