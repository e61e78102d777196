/** The one sentence above everything: may the reader pay, or go on. */
import type { Case, Permission } from "../../../schemas/case.ts"
import { DAY, formatInstant, parseInstant } from "../../core/time.ts"

/** UNCHECKED: nobody verified the document. ISSUED: the page comes from the service that signed it. `now` is in milliseconds. */
export type Authenticity = { readonly state: "UNCHECKED" } | { readonly state: "ISSUED"; readonly now: number }

export interface Headline {
  readonly words: string
  /** What else the reader must know at once, a sentence each. */
  readonly more: readonly string[]
  /** The permission that is in force for the reader. NO_ANSWER also for one that is not in force. */
  readonly tone: Permission
}

export function headlineOf(one: Case, authenticity: Authenticity): Headline {
  const doNot = one.about === "PAYMENT" ? "Do not pay" : "Do not go on"
  if (!one.is_known) return { words: `${doNot}: this program does not know the decision`, more: [], tone: "NO_ANSWER" }
  const { permission } = one
  if (permission === "NO_ANSWER") return { words: "No answer: nothing was charged", more: [], tone: permission }
  if (permission === "HOLD" || permission === "STOP")
    return { words: `${doNot}: ${permission.toLowerCase()}`, more: [], tone: permission }
  if (authenticity.state === "UNCHECKED") {
    const said = `It says: ${permissionWords(one, null)}.`
    return { words: `${doNot} yet: this document was not checked`, more: [said], tone: "NO_ANSWER" }
  }
  const fault = timeFault(one, authenticity.now)
  if (fault !== null) return { words: `${doNot}: ${fault}`, more: [], tone: "NO_ANSWER" }
  return { words: permissionWords(one, authenticity.now), more: [], tone: permission }
}

/** "Pay, until 14:05 UTC today", "Go on only if each condition below is met, until …". */
function permissionWords({ about, permission, valid_until: end }: Case, now: number | null): string {
  const act = about === "PAYMENT" ? "Pay" : "Go on"
  const condition = permission === "PAY_IF" ? " only if each condition below is met" : ""
  return `${act}${condition}, until ${end === null ? "a time that it does not state" : timeInWords(end, now)}`
}

function timeFault({ valid_from: from, valid_until: end }: Case, now: number): string | null {
  const [start, stop] = [parseInstant(from ?? ""), parseInstant(end ?? "")]
  if (start === null || stop === null) return "the answer does not state when it is valid"
  if (now >= stop) return `the answer expired at ${timeInWords(formatInstant(stop), now)}`
  return now < start ? `the answer is not valid before ${timeInWords(formatInstant(start), now)}` : null
}

const MONTHS = [
  "January",
  "February",
  "March",
  "April",
  "May",
  "June",
  "July",
  "August",
  "September",
  "October",
  "November",
  "December",
]

/** `time`: RFC 3339. With `now`, a time of the same day in UTC is "today". A text of another form stays as it is. */
export function timeInWords(time: string, now: number | null): string {
  const instant = parseInstant(time)
  if (instant === null) return time
  const date = new Date(instant)
  const clock = `${two(date.getUTCHours())}:${two(date.getUTCMinutes())} UTC`
  if (now !== null && Math.floor(now / DAY) === Math.floor(instant / DAY)) return `${clock} today`
  return `${clock} on ${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}

function two(number: number): string {
  return String(number).padStart(2, "0")
}
