/** A reviewer judges a hit, or closes a case: the form becomes a record that waits for its signature. */
import type { ReviewRecord } from "../../../schemas/review.ts"
import { CommandError } from "../../base/exit.ts"
import { instant } from "../../core/time.ts"
import { judgedHits } from "../../judgements/judged-hits.ts"
import { type Judged, rowsOf } from "../../judgements/judged-rows.ts"
import { boardOf } from "../../products/screened-parties.ts"
import { composeAct, NO_MEMBERS } from "../../review/acts.ts"
import { DeskRefusal } from "../desk-refusal.ts"
import { choiceField, dayField, numberField, textField } from "../form-fields.ts"
import { type OpenedCase, openCase } from "../opened-case.ts"
import { reviewDeps } from "../review-deps.ts"
import type { DeskReply, OwnVisit } from "../visit.ts"

const VERDICTS = ["OTHER_PARTY", "SAME_PARTY", "UNSURE"] as const
const HITS_MAX = 100_000

/** The record names the bytes that the person saw. A program of another release may make other ones of the same answer. */
export async function openShownCase({ deps, params: [number = ""], form }: OwnVisit): Promise<OpenedCase> {
  const opened = await openCase(deps, Number(number))
  if (form.text("shown") === opened.about.case_digest) return opened
  throw new DeskRefusal(
    409,
    "The page of this case is an older one. Open the case again, read it, and send the form again.",
  )
}

export async function judgeHit(visit: OwnVisit): Promise<DeskReply> {
  const { deps, me, form, now } = visit
  const opened = await openShownCase(visit)
  const kind = choiceField(form, "verdict", { label: "one of the three answers", choices: VERDICTS })
  const number = numberField(form, "hit", "The number of the entry", HITS_MAX)
  const text = textField(form, "because", "The reason")
  const until = kind === "OTHER_PARTY" ? dayField(form, "until", "The end", now) : null
  const { row } = judgedIn(visit, opened, { number, text, until })
  const hit: ReviewRecord["hit"] = {
    party_digest: row.partyDigest,
    source_id: row.sourceId,
    entry_id: row.entryId,
    entry_hash: row.entryHash,
    details_digest: row.detailsDigest,
  }
  const judged = { party: row.party, details_version: row.detailsVersion }
  const { challenge } = await composeAct(reviewDeps(deps), me.sessionHash, {
    ...NO_MEMBERS,
    ...{ kind, hit, until, text, judged, case: opened.about, shown: opened.document },
    reviewer: me.reviewerId,
    key_id: me.keyId,
  })
  return { to: `/sign/${challenge}` }
}

/** The hit as the lists state its entry now. Throws {@link DeskRefusal} for one that nobody can judge. */
function judgedIn(
  { deps, me, now }: OwnVisit,
  { given }: OpenedCase,
  { number, text, until }: { readonly number: number; readonly text: string; readonly until: string | null },
): Judged {
  const lists = deps.lists(boardOf(given.product))
  try {
    const found = judgedHits({ lists, root: null }, given, [String(number)])
    const record = { author: me.name, reason: text, expiresAt: until === null ? now : instant(until) }
    const [judged] = rowsOf(lists, found, record, { now, random: deps.machine.random })
    if (judged === undefined) throw new TypeError("a judged hit without its row")
    return judged
  } catch (error) {
    if (error instanceof CommandError)
      throw new DeskRefusal(422, `Nobody can judge this: ${error.message.replace(/\.?$/, ".")}`)
    throw error
  }
}

export async function closeCase(visit: OwnVisit): Promise<DeskReply> {
  const { deps, me, form } = visit
  const { about, document: shown } = await openShownCase(visit)
  const text = textField(form, "because", "The reason")
  const { challenge } = await composeAct(reviewDeps(deps), me.sessionHash, {
    ...NO_MEMBERS,
    ...{ kind: "CLOSE", case: about, shown, text, reviewer: me.reviewerId, key_id: me.keyId },
  })
  return { to: `/sign/${challenge}` }
}
