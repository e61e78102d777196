/** The one sentence above everything: may the reader pay, or go on. */
import type { Case, Permission } from "../../../schemas/case.ts"
import { DAY, formatInstant, parseInstant } from "../../core/time.ts"

/**
 * UNCHECKED: nobody verified the document. ISSUED: the page comes from the service that signed it. VERIFIED: its signature was checked, by keys
 * that the reader chose. Times are in milliseconds.
 */
type Authenticity = Unverified | ({ readonly state: "VERIFIED" } & VerifiedAt)

/** What a page knows that is made without the keys of the issuer. */
export type Unverified = { readonly state: "UNCHECKED" } | { readonly state: "ISSUED"; readonly now: number }

interface VerifiedAt {
  /** The time at which the document was judged. */
  readonly at: number
  /** False if the reader gave that time. */
  readonly isNow: boolean
  readonly currency: "CURRENT" | "EXPIRED" | "NOT_YET_VALID"
  /** What the reader required and the document is not, as the end of a sentence. */
  readonly unmet: string | null
}

export interface Headline {
  readonly words: string
  /** What else the reader must know at once, a sentence each. */
  readonly more: readonly string[]
  /** The permission that is in force for the reader. NO_ANSWER also for one that is not in force. */
  readonly tone: Permission
}

/** The headline of a document that no reader may act on, whatever it says. */
export function refusedHeadline(words: "Do not rely on it" | "Do not rely on it yet"): Headline {
  return { words, more: [], tone: "NO_ANSWER" }
}

export function headlineOf(one: Case, authenticity: Authenticity): Headline {
  const doNot = one.about === "PAYMENT" ? "Do not pay" : "Do not go on"
  if (!one.is_known) return { words: `${doNot}: this program does not know the decision`, more: [], tone: "NO_ANSWER" }
  const { permission } = one
  if (permission === "NO_ANSWER") return { words: "No answer: nothing was charged", more: [], tone: permission }
  if (permission === "HOLD" || permission === "STOP")
    return { words: `${doNot}: ${permission.toLowerCase()}`, more: [], tone: permission }
  const fault = faultOf(one, authenticity)
  if (fault === null) {
    const now =
      authenticity.state === "ISSUED" ? authenticity.now : authenticity.state === "VERIFIED" ? authenticity.at : null
    return { words: permissionWords(one, now), more: [], tone: permission }
  }
  const { words, quotes } = fault
  return {
    words: `${doNot}${words}`,
    more: quotes ? [`It says: ${permissionWords(one, null)}.`] : [],
    tone: "NO_ANSWER",
  }
}

/** Why a document that says to pay, or to go on, must not be followed now. */
interface Fault {
  /** After "Do not pay". */
  readonly words: string
  /** The reader needs what the document says, because it may count at another time or place. */
  readonly quotes: boolean
}

function faultOf(one: Case, authenticity: Authenticity): Fault | null {
  if (authenticity.state === "UNCHECKED") return { words: " yet: this document was not checked", quotes: true }
  if (authenticity.state === "ISSUED") {
    const fault = timeFault(one, authenticity.now)
    return fault === null ? null : { words: `: ${fault}`, quotes: false }
  }
  const { at, isNow, currency, unmet } = authenticity
  if (currency !== "CURRENT") {
    const [when, end] =
      currency === "EXPIRED" ? ["expired at", one.valid_until] : ["is not valid before", one.valid_from]
    return { words: `: the answer ${when} ${timeInWords(end ?? "an unknown time", isNow ? at : null)}`, quotes: false }
  }
  if (unmet !== null) return { words: `: ${unmet}`, quotes: true }
  const judged = timeInWords(formatInstant(at), null)
  return isNow ? null : { words: `: it was judged for ${judged}, not for now`, quotes: true }
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
