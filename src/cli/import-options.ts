/** What an operator may say of the files of an import, whatever their source. */
import { formatInstant, parseInstant } from "../core/time.ts"
import type { Flag, Input } from "./command.ts"
import { CommandError, EXIT } from "./exit.ts"

export const IMPORT_FLAGS = {
  "retrieved-at": { help: "when the files were retrieved, RFC 3339; only earlier than the files say", value: "T" },
  "accept-shrink": {
    help: "accept exactly these bytes although they are much smaller, larger, emptier or older than the active snapshot: the raw digest a refusal printed",
    value: "SHA256",
  },
} as const satisfies Record<string, Flag>

export function acceptedDigest(input: Input): string | null {
  const text = input.text("accept-shrink")
  if (text === undefined) return null
  const [, hex] = /^(?:sha256:)?([0-9a-f]{64})$/.exec(text) ?? []
  if (!hex) throw new CommandError(EXIT.USAGE, "--accept-shrink is the raw digest as a refusal printed it")
  return `sha256:${hex}`
}

/** `stated` is what the files say, in milliseconds. Said later than that, a list would look fresher than it is. */
export function earlierRetrieval(input: Input, stated: number): number | null {
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
