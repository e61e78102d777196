/** What the next answer would be, without a purchase. */
import { CommandError, EXIT } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { instant } from "../../core/time.ts"
import { readStoredAnswer } from "../../judgements/given-answer.ts"
import { type Tried, tryAgain } from "../../judgements/try-again.ts"
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
    const tried = tryAgain(given, { ...lists, suppressions })
    if (tried === null) {
      const { id: policy, version } = given.answer.policy
      throw new CommandError(EXIT.NOT_CHECKED, `this program does not have policy ${policy} ${version}`)
    }
    input.out(input.on("json") ? `${canonicalize(asJson(tried))}\n` : forPeople(tried))
    return EXIT.DONE
  },
}

/** Exits with 5 for an unknown id, or with 3 for a judgement that ended. */
async function readJudgement(store: Store, id: string, now: number): Promise<SuppressionRecord> {
  const found = (await store.read(listSuppressions)).find(({ suppressionId }) => suppressionId === id)
  if (!found) throw new CommandError(EXIT.NOT_FOUND, `no suppression ${id}; see bizauth suppressions list`)
  const ended = found.revoked ? "revoked" : instant(found.expiresAt) <= now ? "expired" : null
  if (ended !== null) throw new CommandError(EXIT.INVALID, `${id} is ${ended}, so it counts in no answer any more`)
  return found
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
