/** The columns of GLEIF's level 1 golden copy (over 300) that identify an entity. */
import type { ColumnSpec } from "../../records/columns.ts"

const needed = (name: string): ColumnSpec => ({ names: [name], required: true })
const optional = (name: string): ColumnSpec => ({ names: [name], required: false })

const other = (at: number) => `Entity.OtherEntityNames.OtherEntityName.${at}`
const transliterated = (at: number) => `Entity.TransliteratedOtherEntityNames.TransliteratedOtherEntityName.${at}`

export const LEI_COLUMNS = {
  lei: needed("LEI"),
  legalName: needed("Entity.LegalName"),
  jurisdiction: needed("Entity.LegalJurisdiction"),
  country: needed("Entity.LegalAddress.Country"),
  entityStatus: needed("Entity.EntityStatus"),
  registrationStatus: needed("Registration.RegistrationStatus"),
  other1: needed(other(1)),
  otherType1: needed(`${other(1)}.type`),
  other2: optional(other(2)),
  otherType2: optional(`${other(2)}.type`),
  other3: optional(other(3)),
  otherType3: optional(`${other(3)}.type`),
  other4: optional(other(4)),
  otherType4: optional(`${other(4)}.type`),
  other5: optional(other(5)),
  otherType5: optional(`${other(5)}.type`),
  transliterated1: needed(transliterated(1)),
  transliteratedType1: needed(`${transliterated(1)}.type`),
  transliterated2: optional(transliterated(2)),
  transliteratedType2: optional(`${transliterated(2)}.type`),
  transliterated3: optional(transliterated(3)),
  transliteratedType3: optional(`${transliterated(3)}.type`),
} as const satisfies Record<string, ColumnSpec>

export type LeiColumn = keyof typeof LEI_COLUMNS

export const NAME_COLUMNS: readonly (readonly [name: LeiColumn, type: LeiColumn])[] = [
  ["transliterated1", "transliteratedType1"],
  ["transliterated2", "transliteratedType2"],
  ["transliterated3", "transliteratedType3"],
  ["other1", "otherType1"],
  ["other2", "otherType2"],
  ["other3", "otherType3"],
  ["other4", "otherType4"],
  ["other5", "otherType5"],
]

/** Name types that are the legal name in another script or another official language. Trading and former names are not included. */
export const LEGAL_NAME_TYPES: ReadonlySet<string> = new Set([
  "PREFERRED_ASCII_TRANSLITERATED_LEGAL_NAME",
  "AUTO_ASCII_TRANSLITERATED_LEGAL_NAME",
  "ALTERNATIVE_LANGUAGE_LEGAL_NAME",
])
