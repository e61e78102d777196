/** One line of SAM's public V2 extract: 142 fields separated by pipes; the last field is `!end`. */
import { countryOfAlpha3 } from "../../records/country-codes.ts"
import { type IdentityRecord, NAME_LENGTH_MAX } from "../../records/identity-record.ts"
import { seenCell } from "../../records/unseen-characters.ts"

// Column order of GSA's "SAM Entity Management Public V2 Extract Layout", counted from 0.
const FIELDS = 142
const UEI = 0
const EFT_INDICATOR = 2
const CAGE = 3
const EXTRACT_CODE = 5
const EXPIRES = 8
const LEGAL_NAME = 11
const DBA_NAME = 12
const COUNTRY = 21
const END = 141
const END_MARK = "!end"

export interface EntityLine {
  readonly uei: string
  /** Null if the entity has none. */
  readonly cage: string | null
  /** An entity has one line for each payment account. The line without an indicator is the entity itself. */
  readonly isMain: boolean
  readonly record: IdentityRecord
}

export const UEI_FORM = /^[0-9A-Z]{12}$/
export const CAGE_FORM = /^[0-9A-Z]{5}$/

/** Returns the fields, or a text for an operator that states why the line cannot be read, without the line's content. */
export function readEntityLine(line: string): EntityLine | string {
  const fields = line.split("|")
  if (fields.length !== FIELDS) return `${fields.length} fields, not ${FIELDS}`
  if (fields[END]?.trim() !== END_MARK) return `the last field is not ${END_MARK}`
  const cell = (at: number) => seenCell(fields[at] ?? "")
  const uei = cell(UEI).toUpperCase()
  if (!UEI_FORM.test(uei)) return "no unique entity id"
  const code = cell(EXTRACT_CODE)
  if (code !== "A" && code !== "E") return "neither active nor expired"
  const name = cell(LEGAL_NAME)
  if (name === "" || name.length > NAME_LENGTH_MAX) return "no legal business name"
  const expires = dayOf(cell(EXPIRES))
  if (expires === null && cell(EXPIRES) !== "") return "an expiration date that is not a day"
  const dba = cell(DBA_NAME).slice(0, NAME_LENGTH_MAX)
  const cage = cell(CAGE).toUpperCase()
  return {
    uei,
    cage: CAGE_FORM.test(cage) ? cage : null,
    isMain: cell(EFT_INDICATOR) === "",
    record: {
      legal_names: [name],
      other_names: dba === "" ? [] : [dba],
      status: code === "A" ? "ACTIVE" : "EXPIRED",
      is_current: code === "A",
      expires,
      country: countryOfAlpha3(cell(COUNTRY)),
    },
  }
}

/** Converts `YYYYMMDD` to `YYYY-MM-DD`; null for an invalid day. */
export function dayOf(text: string): string | null {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(text) ?? []
  if (!year || !month || !day) return null
  const shown = `${year}-${month}-${day}`
  const at = Date.parse(`${shown}T00:00:00.000Z`)
  return !Number.isNaN(at) && new Date(at).toISOString().startsWith(shown) ? shown : null
}
