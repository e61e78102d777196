/**
 * One designation, collected from all rows of its Unique ID. The publisher prints a row for each name, address, birth date and document.
 */

import type { Measure, NameKind, Party, PartyIdentifier, PartyName, PartyType } from "../../records/party.ts"
import type { WordCounts } from "../../records/publisher-words.ts"
import type { UkRecord } from "./columns.ts"
import { ukCountries } from "./countries.ts"
import { documentNumbers, imoNumbers, isCertain, type ReadRegistrations } from "./identifiers.ts"

const LIST = "UKSL"

const TYPES: Readonly<Record<string, PartyType>> = {
  individual: "person",
  entity: "org",
  ship: "vessel",
  aircraft: "aircraft",
}
const NAME_KINDS: Readonly<Record<string, NameKind>> = {
  "primary name": "primary",
  "primary name variation": "aka",
  alias: "aka",
}
const ALIAS_STRENGTH = /^(?:|(?:good|low) quality\b.*)$/i
const LOW_QUALITY = /^low\b/i

/**
 * CHOICE: an asset freeze forbids making funds available to the party, so it may block. Every other measure (shipping, travel, director
 * disqualification, trust services and any new one) holds for review.
 */
const ASSET_FREEZE = /\basset[ -]freeze\b/i

export const isAssetFreeze = (sanctions: string): boolean => ASSET_FREEZE.test(sanctions)

/** Kinds of names, from the strongest evidence to the weakest. */
const STRENGTH: readonly NameKind[] = ["primary", "aka", "fka", "weak", "native"]

/** Returns null for a type that this list has not used so far. */
function typeOf(record: UkRecord): PartyType | null {
  return TYPES[record("designationType").toLowerCase()] ?? null
}

/** Returns why a row is reported, or null if everything in it is known. The entry is kept, screened and held either way. */
export function rowProblem(record: UkRecord): string | null {
  if (typeOf(record) === null) return "unknown designation type"
  if (latinName(record) !== "" && NAME_KINDS[record("nameType").toLowerCase()] === undefined) return "unknown name type"
  return ALIAS_STRENGTH.test(record("aliasStrength")) ? null : "unknown alias strength"
}

export class UkEntry {
  readonly #id: string
  readonly #line: Party["line"]
  readonly #types = new Set<PartyType>()
  readonly #regimes = new Set<string>()
  readonly #names: PartyName[] = []
  readonly #identifiers = new Map<string, PartyIdentifier>()
  readonly #birthDates = new Set<string>()
  readonly #countries = new Set<string>()
  readonly #addresses = new Set<string>()
  readonly #readRegistrations: ReadRegistrations
  #hasUnreadRegistration = false
  #measure: Measure = "hold"
  #designated: string | null = null

  /** `line` is the location of the entry's first row. */
  constructor(id: string, line: Party["line"], readRegistrations: ReadRegistrations) {
    this.#id = id
    this.#line = line
    this.#readRegistrations = readRegistrations
  }

  get line(): number {
    return this.#line.number
  }

  /** If the rows disagree, no type is proven. The party's type is then `unknown`, which is compared with persons and organisations. */
  get typesDiffer(): boolean {
    return this.#types.size > 1
  }

  /** A cell of registration numbers has digits, and none of them is certain. */
  get hasUnreadRegistration(): boolean {
    return this.#hasUnreadRegistration
  }

  add(record: UkRecord, words: WordCounts): void {
    const type = typeOf(record) ?? "unknown"
    this.#types.add(type)
    addTo(this.#regimes, record("regime"))
    if (isAssetFreeze(record("sanctions"))) this.#measure = "block"
    this.#names.push(...namesOf(record))
    const registrations = this.#readRegistrations(record("registration"))
    if (registrations.length > 0 && !registrations.some(isCertain)) this.#hasUnreadRegistration = true
    words.addIdentifier("registration", record("registration"), registrations.some(isCertain))
    countDocuments(words, record, type)
    for (const one of [...documentsOf(record, type), ...registrations])
      this.#identifiers.set(`${one.scheme} ${one.value}`, one)
    addTo(this.#birthDates, record("birthDate"))
    for (const key of ["nationality", "addressCountry", "flag"] as const) {
      for (const code of ukCountries(record(key))) this.#countries.add(code)
    }
    addTo(this.#addresses, addressOf(record))
    this.#designated ??= isoDay(record("designated"))
  }

  /** Returns null for an entry without a name, because there is nothing to screen. */
  party(): Party | null {
    const names = distinctNames(this.#names)
    if (names.length === 0) return null
    const [type = "unknown"] = this.#types
    return {
      sourceId: "UK_SANCTIONS_LIST",
      entryId: this.#id,
      type: this.typesDiffer ? "unknown" : type,
      list: LIST,
      programs: [...this.#regimes],
      measure: this.#measure,
      names,
      identifiers: [...this.#identifiers.values()],
      birthDates: [...this.#birthDates],
      countries: [...this.#countries],
      addresses: [...this.#addresses],
      line: this.#line,
      ...(this.#designated ? { validFrom: this.#designated } : {}),
    }
  }
}

/** Column 6 holds the family name, or the whole name of a non-person, and comes last. */
function latinName(record: UkRecord): string {
  const parts = [record("name1"), record("name2"), record("name3"), record("name4"), record("name5"), record("name6")]
  return oneLine(parts.join(" "))
}

function namesOf(record: UkRecord): readonly PartyName[] {
  const native = oneLine(record("nativeName"))
  const kind = NAME_KINDS[record("nameType").toLowerCase()] ?? "aka"
  const isWeak = kind !== "primary" && LOW_QUALITY.test(record("aliasStrength"))
  const names: readonly PartyName[] = [
    { text: latinName(record), kind: isWeak ? "weak" : kind },
    { text: native, kind: "native" },
  ]
  return names.filter(({ text }) => text !== "")
}

/** Returns one name for each spelling, with its strongest kind. The primary name comes first, whatever its row. */
function distinctNames(names: readonly PartyName[]): readonly PartyName[] {
  const byText = new Map<string, PartyName>()
  const sorted = [...names].sort((a, b) => STRENGTH.indexOf(a.kind) - STRENGTH.indexOf(b.kind))
  for (const name of sorted) if (!byText.has(name.text)) byText.set(name.text, name)
  return [...byText.values()]
}

function documentsOf(record: UkRecord, type: PartyType): readonly PartyIdentifier[] {
  return [
    ...imoNumbers(record("imo"), type),
    ...documentNumbers("passport", record("passport")),
    ...documentNumbers("national-id", record("nationalId")),
  ]
}

function countDocuments(words: WordCounts, record: UkRecord, type: PartyType): void {
  words.addIdentifier("imo", record("imo"), imoNumbers(record("imo"), type).some(isCertain))
  for (const [scheme, key] of [
    ["passport", "passport"],
    ["national-id", "nationalId"],
  ] as const)
    words.addIdentifier(scheme, record(key), documentNumbers(scheme, record(key)).some(isCertain))
}

function addressOf(record: UkRecord): string {
  const lines = [1, 2, 3, 4, 5, 6] as const
  const parts = [...lines.map((line) => record(`address${line}`)), record("postalCode"), record("addressCountry")]
  return parts
    .map(oneLine)
    .filter((part) => part !== "")
    .join(", ")
}

function addTo(set: Set<string>, text: string): void {
  if (text !== "") set.add(oneLine(text))
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, " ").trim()
}

/** Converts `dd/mm/yyyy`; null if a part is unknown. */
function isoDay(text: string): string | null {
  const [, day, month, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text) ?? []
  return day && month && year ? `${year}-${month}-${day}` : null
}
