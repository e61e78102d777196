/** Notes and assignments: they change no judgement, so the session is enough. */
import type { ReviewSubject } from "../../../schemas/review.ts"
import { NO_MEMBERS, recordAct } from "../../review/acts.ts"
import { DeskRefusal } from "../desk-refusal.ts"
import { faultWords } from "../fault-words.ts"
import { TEXT_MAX, textField } from "../form-fields.ts"
import { reviewDeps } from "../review-deps.ts"
import { namesOf } from "../reviewer-names.ts"
import type { DeskReply, FormFile, OwnVisit } from "../visit.ts"
import { openShownCase } from "./judge.ts"

/** The file itself is not kept: the note has its name, its length and its digest. */
export async function noteOnCase(visit: OwnVisit): Promise<DeskReply> {
  const { form } = visit
  const text = textField(form, "note", "The note")
  const whole = form.file === null ? text : `${text}\n${fileLine(form.file)}`
  if ([...whole].length > TEXT_MAX) {
    throw new DeskRefusal(
      422,
      `The note and the line about its file have more than ${TEXT_MAX} characters. Shorten the note.`,
    )
  }
  return record(visit, { kind: "NOTE", text: whole, subject: null })
}

function fileLine({ name, bytes, digest }: FormFile): string {
  const shown = [...name.replace(/\p{C}/gu, "")].slice(0, 160).join("")
  return `File: ${shown}, ${bytes} bytes, ${digest}`
}

/** `to` is empty for nobody. */
export async function assignCase(visit: OwnVisit): Promise<DeskReply> {
  const { deps, form } = visit
  const to = form.text("to")
  const isKnown = to === "" || (await namesOf(deps)).has(to)
  if (!isKnown) throw new DeskRefusal(422, "Who looks at it is one of the reviewers, or nobody. Choose one.")
  const subject = { kind: "ASSIGN" as const, assignee: to === "" ? null : to }
  return record(visit, { kind: "ASSIGN", text: null, subject })
}

interface SessionAct {
  readonly kind: "NOTE" | "ASSIGN"
  readonly text: string | null
  readonly subject: ReviewSubject | null
}

async function record(visit: OwnVisit, act: SessionAct): Promise<DeskReply> {
  const { deps, me } = visit
  const { about, document: shown } = await openShownCase(visit)
  const taken = await recordAct(reviewDeps(deps), {
    ...NO_MEMBERS,
    ...{ ...act, case: about, shown, reviewer: me.reviewerId, key_id: null },
  })
  if (taken.fault !== null) throw new DeskRefusal(422, faultWords(taken.fault))
  const { sequence, effect } = taken
  deps.log.info("review_recorded", { record: sequence, kind: act.kind, effect, reviewer: me.reviewerId })
  return { to: `/cases/${about.number}` }
}
