/** The operator's statements about the files of an import, for any source. */

import { CommandError, EXIT } from "../../base/exit.ts"
import { formatInstant, parseInstant } from "../../core/time.ts"
import type { ImportOptions } from "../../sources/import/import-times.ts"
import type { Flag, Input } from "../command.ts"

export const IMPORT_FLAGS = {
  "retrieved-at": { help: "when the files were retrieved, RFC 3339; only earlier than the files say", value: "T" },
  "accept-shrink": {
    help: "accept exactly these bytes although they are much smaller, larger, emptier or older than the active snapshot: the raw digest a refusal printed",
    value: "SHA256",
  },
  "published-at": {
    help: "when the publisher published the files, RFC 3339; only for files that do not say it themselves",
    value: "T",
  },
  "accept-old": {
    help: "accept exactly these bytes although their content is too old, and say why: answers then carry a condition, and a live Payment Decision is rejected",
    value: "REASON",
  },
  "accept-small": {
    help: "accept exactly these bytes although they have fewer entries than the minimum of the list, and say why: with the same consequences",
    value: "REASON",
  },
} as const satisfies Record<string, Flag>

/** Reads the operator's statements about one import. `stated` is the retrieval time of the files, in milliseconds. */
export function importOptions(input: Input, stated: number): ImportOptions {
  return {
    retrievedAt: earlierRetrieval(input, stated),
    acceptShrink: acceptedDigest(input),
    publishedAt: publicationStated(input, stated),
    acceptOld: reasonOf(input, "accept-old"),
    acceptSmall: reasonOf(input, "accept-small"),
  }
}

/** A publication time after the retrieval is rejected. */
function publicationStated(input: Input, retrieved: number): number | null {
  const text = input.text("published-at")
  if (text === undefined) return null
  const at = parseInstant(text)
  if (at === null) throw new CommandError(EXIT.USAGE, "--published-at must be an RFC 3339 date-time")
  if (at > retrieved) {
    throw new CommandError(
      EXIT.USAGE,
      `--published-at must not be later than the files were retrieved: ${formatInstant(retrieved)}`,
    )
  }
  return at
}

const REASON_LENGTH_MAX = 200

/** Must be one line of text: it is printed with the source while these bytes are in use. */
function reasonOf(input: Input, flag: "accept-old" | "accept-small"): string | null {
  const text = input.text(flag)
  if (text === undefined) return null
  const reason = text.trim()
  if (reason.length > 0 && reason.length <= REASON_LENGTH_MAX && !/\p{Cc}/u.test(reason)) return reason
  throw new CommandError(EXIT.USAGE, `--${flag} must be a reason of 1 to ${REASON_LENGTH_MAX} characters on one line`)
}

export function acceptedDigest(input: Input): string | null {
  const text = input.text("accept-shrink")
  if (text === undefined) return null
  const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/.exec(text) ?? []
  if (!hex) throw new CommandError(EXIT.USAGE, "--accept-shrink is the raw digest as a refusal printed it")
  return `sha256:${hex}`
}

/**
 * `stated` is the retrieval time of the files, in milliseconds. A later statement is rejected, because the list would look fresher than it
 * is.
 */
function earlierRetrieval(input: Input, stated: number): number | null {
  const text = input.text("retrieved-at")
  if (text === undefined) return null
  const at = parseInstant(text)
  if (at === null) throw new CommandError(EXIT.USAGE, "--retrieved-at must be an RFC 3339 date-time")
  if (at > stated) {
    throw new CommandError(
      EXIT.USAGE,
      `--retrieved-at may only be earlier than the files say: ${formatInstant(stated)}`,
    )
  }
  return at
}
