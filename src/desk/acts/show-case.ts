import { isRecused } from "../../core/review/register.ts"
import { bookAfter, EMPTY_BOOK } from "../../core/review/review-book.ts"
import { DAY, formatInstant } from "../../core/time.ts"
import { tryAgain } from "../../judgements/try-again.ts"
import { boardOf } from "../../products/screened-parties.ts"
import { unhealthy } from "../../sources/boards/provable-state.ts"
import { casesOfGroup } from "../../store/review/review-reads.ts"
import { recordsOfCase } from "../../store/review/review-records.ts"
import type { DeskDeps } from "../deps.ts"
import { inForceOver } from "../in-force.ts"
import { type OpenedCase, openCase } from "../opened-case.ts"
import { casePage } from "../pages/case-page.ts"
import { namesOf } from "../reviewer-names.ts"
import type { DeskReply, OwnVisit } from "../visit.ts"

/** What the form proposes as the end of a judgement. */
const JUDGED_DAYS = 90

export async function showCase({ deps, me, params: [number = ""], now }: OwnVisit): Promise<DeskReply> {
  const opened = await openCase(deps, Number(number))
  const { row, about } = opened
  const read = await deps.store.read(function* () {
    return {
      records: yield* recordsOfCase(row.caseNumber),
      group: yield* casesOfGroup(row.groupKey),
    }
  })
  return {
    status: 200,
    page: casePage({
      ...{ me, opened, now, ...read },
      book: read.records.reduce(bookAfter, EMPTY_BOOK),
      names: await namesOf(deps),
      isRecused: isRecused(me.register, me.reviewerId, about),
      inForce: inForceOver(
        deps,
        read.records.map(({ record }) => record),
      ),
      next: nextAnswer(deps, opened),
      until: formatInstant(now + JUDGED_DAYS * DAY).slice(0, 10),
    }),
  }
}

/** What the next answer would be, in words. */
function nextAnswer({ lists }: DeskDeps, { given }: OpenedCase): string {
  const today = lists(boardOf(given.product))
  if (unhealthy(today.sources).length > 0) return "No answer of this product is sold now: a list is missing or too old."
  const tried = tryAgain(given, today)
  if (tried === null)
    return "This program does not have the policy of the answer, so it cannot say what the next one would be."
  const { decision, machine_action: action } = tried.core
  return `With today's lists and judgements the next answer would be ${decision} (${action}). It is no answer: nothing is signed or sent.`
}
