/** The screened party as flags of `screen` and `suppressions add`: the same flags must mean the same party in both. */

import { CommandError, EXIT } from "../../base/exit.ts"
import { IDENTIFIER_FORMS, isIdentifierKind, readIdentifier } from "../../checks/us/supplier-identifiers.ts"
import { parseInstant } from "../../core/time.ts"
import { isAlpha2 } from "../../sources/records/country-codes.ts"
import type { ScreenedParty } from "../../sources/screening/suppress.ts"
import type { Flag, Input } from "../command.ts"

/** Rejects other schemes: no list has them, so they never match, and "no match" would look like a result. */
const SCHEMES = [
  ...["uei", "cage", "lei", "cik", "ein", "npi", "imo"],
  ...["wallet", "registration", "tax", "passport", "national-id"],
]

export const PARTY_FLAGS = {
  type: { help: "person or org; without it both are tried, and a name alone never gives MATCH", value: "TYPE" },
  id: {
    help: `identifiers as scheme:value, comma-separated; schemes: ${SCHEMES.join(", ")}`,
    value: "SCHEME:VALUE",
    repeats: true,
  },
  country: { help: "ISO 3166-1 alpha-2 code of the screened party", value: "CC" },
  "birth-date": { help: "date of birth of the screened person, YYYY-MM-DD or YYYY", value: "DATE" },
} as const satisfies Record<string, Flag>

export function readParty(name: string, input: Input): ScreenedParty {
  const type = input.text("type") ?? null
  if (type !== null && type !== "person" && type !== "org") throw usage("--type is person or org")
  const country = input.text("country")
  if (country !== undefined && !isAlpha2(country))
    throw usage("--country is an ISO 3166-1 alpha-2 code, such as US or GB")
  const birthDate = input.text("birth-date")
  if (birthDate !== undefined && !isBirthDate(birthDate))
    throw usage("--birth-date is a day as YYYY-MM-DD or a year as YYYY")
  if (birthDate !== undefined && type === "org") throw usage("--birth-date is for a person, not for --type org")
  return {
    name,
    type,
    identifiers: input.texts("id").flatMap(readIdentifiers),
    countries: country === undefined ? [] : [country],
    ...(birthDate !== undefined && { birthDates: [birthDate] }),
  }
}

export function isBirthDate(text: string): boolean {
  return (
    /^(?:18|19|20)\d{2}$/.test(text) || (/^\d{4}-\d{2}-\d{2}$/.test(text) && parseInstant(`${text}T00:00:00Z`) !== null)
  )
}

/** A comma ends a value only if another scheme follows, because publishers print numbers with commas. */
function readIdentifiers(text: string): ScreenedParty["identifiers"] {
  return text.split(/,(?=[a-z-]+:)/).map((part) => {
    const [, scheme = "", value = ""] = /^([a-z-]+):(.+)$/.exec(part) ?? []
    if (!SCHEMES.includes(scheme)) throw usage(`--id is scheme:value with one of ${SCHEMES.join(", ")}`)
    return identifierOf(scheme, value)
  })
}

/**
 * The check of the sales and their form of the value: an impossible value is on no list, and a judgement of `ein:12-3456789` must apply to
 * a purchase that names `123456789`.
 */
export function identifierOf(scheme: string, value: string): ScreenedParty["identifiers"][number] {
  if (!isIdentifierKind(scheme)) return { scheme, value }
  const read = readIdentifier(scheme, value.trim())
  if (read === null) throw usage(`${scheme} is ${IDENTIFIER_FORMS[scheme]}`)
  return { scheme, value: read }
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}
