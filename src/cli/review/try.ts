/** What the next answer would be, without a purchase. */
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { caseOf } from "../../case/case-of.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { JsonValue } from "../../core/strict-json.ts"
import { formatInstant, instant } from "../../core/time.ts"
import { type GivenAnswer, readStoredAnswer } from "../../judgements/given-answer.ts"
import { PRODUCTS } from "../../products/products.ts"
import { type DecidedCore, decideBy, screenAgain } from "../../products/screened-again.ts"
import { boardOf } from "../../products/screened-parties.ts"
import { unhealthy } from "../../sources/boards/provable-state.ts"
import { bookOf } from "../../sources/boards/suppression-book.ts"
import { joinBooks } from "../../sources/screening/suppress.ts"
import type { Store } from "../../store/engine/unit.ts"
import { listSuppressions, type SuppressionRecord } from "../../store/sources/suppressions.ts"
import { type Command, JSON_FLAG } from "../command.ts"
import { CONFIG_FLAGS, openData } from "../inputs.ts"
import { printable } from "../screening/hit-text.ts"
import { incompleteLines, openLists } from "../screening/screening-lists.ts"

export const command: Command = {
  name: "review try",
  summary:
    "decide a sold answer again with today's lists and judgements: what the next one would be; nothing is signed, stored or sent",
  operands: "ID",
  flags: {
    ...CONFIG_FLAGS,
    judgement: { help: "count this judgement too, which a restore paused", value: "RECORD" },
    ...JSON_FLAG,
  },
  examples: ["review try dec_AAECAwQFBgcICQoLDA0ODw --data ./data"],
  async run(input) {
    const [id = ""] = input.operands
    const record = input.text("judgement")
    const { store } = await openData(input)
    const read = async () => ({
      given: await readStoredAnswer(store, id),
      judgement: record === undefined ? null : await readJudgement(store, record, realMachine.now()),
    })
    const { given, judgement } = await read().finally(() => store.close())
    const lists = await openLists(input, { withEntries: false, board: boardOf(given.product) })
    const missing = incompleteLines(lists)
    if (unhealthy(lists.sources).length > 0)
      throw new CommandError(EXIT.NOT_CHECKED, `no answer of this product is sold now: ${missing.join("; ")}`)
    const suppressions = judgement ? joinBooks(lists.suppressions, bookOf([judgement])) : lists.suppressions
    const facts = screenAgain(given, { ...lists, suppressions })
    const core = decideBy(given, facts, given.answer.policy)
    if (core === null) {
      const { id: policy, version } = given.answer.policy
      throw new CommandError(EXIT.NOT_CHECKED, `this program does not have policy ${policy} ${version}`)
    }
    const tried = { given, core, facts, notes: caseNotes(given, core, facts), left: notDoneAgain(given, lists.at) }
    input.out(input.on("json") ? `${canonicalize(asJson(tried))}\n` : forPeople(tried))
    return EXIT.DONE
  },
}

interface Tried {
  readonly given: GivenAnswer
  readonly core: DecidedCore
  /** With today's screening. */
  readonly facts: object
  readonly notes: readonly string[]
  /** What was not done again, one sentence each. */
  readonly left: readonly string[]
}

/** Exits with 5 for an unknown id, or with 3 for a judgement that ended. */
async function readJudgement(store: Store, id: string, now: number): Promise<SuppressionRecord> {
  const found = (await store.read(listSuppressions)).find(({ suppressionId }) => suppressionId === id)
  if (!found) throw new CommandError(EXIT.NOT_FOUND, `no suppression ${id}; see bizauth suppressions list`)
  const ended = found.revoked ? "revoked" : instant(found.expiresAt) <= now ? "expired" : null
  if (ended !== null) throw new CommandError(EXIT.INVALID, `${id} is ${ended}, so it counts in no answer any more`)
  return found
}

function caseNotes({ request }: GivenAnswer, core: DecidedCore, facts: object): readonly string[] {
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

function forPeople({ given: { answer }, core, notes, left }: Tried): string {
  const [was, is] = [new Set(answer.reason_codes), new Set(core.reason_codes)]
  const lines = [
    `would be ${core.decision}  ${core.machine_action}`,
    `is       ${answer.decision}  ${answer.machine_action}`,
    "  no answer: nothing is signed, stored or sent, and nobody is charged",
    ...[...is].filter((code) => !was.has(code)).map((code) => `  new      ${code}`),
    ...[...is].filter((code) => was.has(code)).map((code) => `  as then  ${code}`),
    ...[...was].filter((code) => !is.has(code)).map((code) => `  gone     ${code}`),
    ...notes.map((note) => `  ${note}`),
    "not done again:",
    ...left.map((one) => `  ${one}`),
  ]
  return `${lines.map(printable).join("\n")}\n`
}

function asJson({ given: { answer }, core, facts, notes, left }: Tried) {
  const { decision, machine_action, reason_codes } = answer
  return {
    version: 1,
    would_be: core,
    is: { decision, machine_action, reason_codes },
    facts,
    notes,
    not_done_again: left,
    is_answer: false,
  }
}
