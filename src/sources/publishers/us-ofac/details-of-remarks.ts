/**
 * Reads the items of OFAC's remarks for a person. Every item stays in the remarks, so an item that no rule here knows is not lost. Items are
 * separated by `;`, as `remarks.ts` reads them.
 */
import type { DetailedIdentifier } from "../../../../schemas/entry-details.ts"
import type { EntryBuilder } from "../../details/entry-builder.ts"
import { splitLabel } from "../../records/identifier-scheme.ts"

/** Reads an item that begins with a word. `rest` is the text after the word. Returns false if the item says something else. */
type Rule = (entry: EntryBuilder, rest: string, item: string) => boolean

const contact =
  (second: string): Rule =>
  (entry, rest, item) => {
    if (!rest.startsWith(second)) return false
    const text = rest.slice(second.length).trim()
    entry.labelled("contacts", item.slice(0, item.length - text.length).trim(), text)
    return true
  }

const linked: Rule = (entry, rest) => {
  const text = /^To: (.+?)\)?$/.exec(rest)?.[1]
  if (text !== undefined) entry.labelled("linked_to", "Linked To", text)
  return text !== undefined
}

/** OFAC prints only weak aliases in the remarks. */
const nickname =
  (kind: "alias" | "former"): Rule =>
  (entry, rest, item) => {
    const text = /^'(.+)'$/.exec(rest)?.[1]
    if (text !== undefined) entry.name({ text, kind, quality: "WEAK", note: item.slice(0, "a.k.a.".length) })
    return text !== undefined
  }

const printed =
  (member: "births" | "birth_places" | "nationalities" | "citizenships"): Rule =>
  (entry, rest) => {
    entry.printed(member, rest)
    return true
  }

const RULES: ReadonlyMap<string, Rule> = new Map<string, Rule>([
  ["a.k.a.", nickname("alias")],
  ["n.k.a.", nickname("alias")],
  ["f.k.a.", nickname("former")],
  ["DOB", printed("births")],
  ["POB", printed("birth_places")],
  ["nationality", printed("nationalities")],
  ["citizen", printed("citizenships")],
  [
    "Gender",
    (entry, rest) => {
      entry.text("gender", rest)
      return true
    },
  ],
  ["Linked", linked],
  ["(Linked", linked],
  [
    "Listing",
    (entry, rest, item) => {
      if (rest.startsWith("Date")) entry.listing("from", item)
      return rest.startsWith("Date")
    },
  ],
  ["Website", contact("")],
  ["Email", contact("Address ")],
  ["Phone", contact("Number ")],
  ["Fax", contact("")],
])

/** `text` is the whole remark. */
export function addRemarkDetails(entry: EntryBuilder, text: string): void {
  if (text === "") return
  for (const raw of (text.endsWith(".") ? text.slice(0, -1) : text).split(";")) {
    const trimmed = raw.trim()
    const item = trimmed.startsWith("alt. ") ? trimmed.slice("alt. ".length) : trimmed
    const space = item.indexOf(" ")
    if (space < 0) continue
    const rule = RULES.get(item.slice(0, space))
    if (!rule?.(entry, item.slice(space + 1), item)) addDocument(entry, item)
  }
}

const COUNTRY = / \(([^()]+)\)(?= issued | expires |$)/
const ISSUED = / issued (\d{1,2} \w{3} \d{4}|\d{4})/
const EXPIRES = / expires (\d{1,2} \w{3} \d{4}|\d{4})/

/** `Passport FL390461 (Ukraine) issued 31 Jan 2018 expires 31 Jan 2028`. */
function addDocument(entry: EntryBuilder, item: string): void {
  const split = splitLabel(item)
  if (!split) return
  const { label, rest } = split
  const identifier: DetailedIdentifier = { label, value: rest }
  const [countryText, country] = COUNTRY.exec(rest) ?? []
  const [issuedText, issued] = ISSUED.exec(rest) ?? []
  const [expiresText, expires] = EXPIRES.exec(rest) ?? []
  for (const text of [expiresText, issuedText, countryText])
    if (text !== undefined) identifier.value = identifier.value.replace(text, "")
  if (country !== undefined) identifier.country = country
  if (issued !== undefined) identifier.issued = issued
  if (expires !== undefined) identifier.expires = expires
  entry.identifier(identifier)
}
