/** The operator's statement that an organization was verified outside this service, as command flags. */

import { CommandError, EXIT } from "../../base/exit.ts"
import { formatInstant, parseInstant } from "../../core/time.ts"
import type { Organization } from "../../store/buyers/buyers.ts"
import type { Flag, Input } from "../command.ts"

const required = true

export const VERIFICATION_FLAGS: Readonly<Record<string, Flag>> = {
  "verification-method": { help: "how the organization was verified", value: "TEXT", required },
  "verification-reference": { help: "where the proof of it is kept", value: "TEXT", required },
  "verified-at": { help: "when, RFC 3339", value: "TIME", required },
  "valid-until": { help: "when it must be verified again, RFC 3339", value: "TIME", required },
  "verified-by": { help: "who verified it", value: "TEXT", required },
}

/** Throws CommandError (2) if the verification is not in force at `now` (milliseconds). */
export function verificationOf(input: Input, now: number): Organization["verification"] {
  const verifiedAt = timeOf(input, "verified-at")
  const validUntil = timeOf(input, "valid-until")
  if (verifiedAt > now) throw new CommandError(EXIT.USAGE, "--verified-at lies in the future")
  if (validUntil <= now)
    throw new CommandError(EXIT.USAGE, "--valid-until is in the past; verify the organization again first")
  return {
    method: textOf(input, "verification-method", 160),
    reference: textOf(input, "verification-reference", 512),
    verifiedAt: formatInstant(verifiedAt),
    validUntil: formatInstant(validUntil),
    verifiedBy: textOf(input, "verified-by", 160),
  }
}

export function textOf(input: Input, flag: string, most: number): string {
  const text = input.need(flag).trim()
  if (text === "" || text.length > most) {
    throw new CommandError(EXIT.USAGE, `--${flag} must have 1 to ${most} characters`)
  }
  return text
}

function timeOf(input: Input, flag: string): number {
  const at = parseInstant(input.need(flag))
  if (at === null) throw new CommandError(EXIT.USAGE, `--${flag} must be an RFC 3339 date-time`)
  return at
}
