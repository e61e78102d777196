/** What a person writes beside a judgement: who judged, how that person knows, and until when it counts. */
import { userInfo } from "node:os"
import { CommandError, EXIT } from "../../base/exit.ts"
import { DAY, parseInstant } from "../../core/time.ts"
import type { JudgementRecord } from "../../judgements/judged-rows.ts"
import { textOf } from "../buyers/buyer-verification.ts"
import type { Flag, Input } from "../command.ts"

/** CHOICE: a suppression expires after a year at most, because a party changes and so does the person who would judge it. */
const SUPPRESSION_DAYS_MAX = 366
const AUTHOR_MAX = 160
const REASON_MAX = 1000

export const RECORD_FLAGS = {
  because: { help: "how you know, for the record", value: "TEXT", required: "without --reason" },
  reason: { help: "the same as --because", value: "TEXT" },
  author: {
    help: "who judged; with --answer the default is your login name",
    value: "TEXT",
    required: "without --answer",
  },
  until: {
    help: `when it ends, RFC 3339 or YYYY-MM-DD, at most ${SUPPRESSION_DAYS_MAX} days away`,
    value: "T",
    required: true,
  },
} as const satisfies Record<string, Flag>

/** Exits with 2 for a text without content or beyond its length, and for an end that no judgement may have. */
export function readRecord(input: Input, now: number): JudgementRecord {
  if (input.text("because") !== undefined && input.text("reason") !== undefined)
    throw usage("--because and --reason are the same; give one")
  const reason = textOf(input, input.text("reason") === undefined ? "because" : "reason", REASON_MAX)
  return { reason, author: authorOf(input), expiresAt: endOf(input, now) }
}

/** CHOICE: beside an answer the login name is enough, because its record is made where the person works. */
function authorOf(input: Input): string {
  if (input.text("author") !== undefined || input.text("answer") === undefined)
    return textOf(input, "author", AUTHOR_MAX)
  const name = loginName()
  if (name === null) throw usage("--author is needed: this user has no login name")
  return name
}

function loginName(): string | null {
  try {
    return userInfo().username.slice(0, AUTHOR_MAX) || null
  } catch {
    // The user id has no entry in the user database, as in a container.
    return null
  }
}

/** A day without a time means its start, in UTC. */
function endOf(input: Input, now: number): number {
  const text = input.need("until")
  const at = parseInstant(/^\d{4}-\d{2}-\d{2}$/.test(text) ? `${text}T00:00:00Z` : text)
  if (at === null) throw usage("--until is an RFC 3339 date-time or YYYY-MM-DD")
  if (at <= now) throw usage("--until is in the past")
  if (at > now + SUPPRESSION_DAYS_MAX * DAY) throw usage(`--until is more than ${SUPPRESSION_DAYS_MAX} days away`)
  return at
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}
