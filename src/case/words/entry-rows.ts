/** A listed entry as rows of words and texts. Texts are the publisher's, so whoever prints them escapes them. */
import type { EntryDetails, Labelled, Printed, StoredEntry } from "../../../schemas/entry-details.ts"
import type { Labelled as LabelledValue } from "../members.ts"
import { PAGE_LABEL } from "./case-words.ts"

type Shown = EntryDetails & Partial<Pick<StoredEntry, "truncated">>

const PRINTED = [
  ["born", "births"],
  ["born in", "birth_places"],
  ["nationality", "nationalities"],
  ["citizen", "citizenships"],
  ["address", "addresses"],
] as const

const LABELLED = [
  ["measure", "measures"],
  ["contact", "contacts"],
  ["vessel", "vessel"],
  ["linked to", "linked_to"],
  ["reference", "references"],
  ["remarks", "remarks"],
] as const

const TEXTS = [
  ["type", "type"],
  ["list", "list"],
  ["title", "title"],
  ["program", "programs"],
  ["gender", "gender"],
] as const

export function entryRows(entry: Shown): readonly LabelledValue[] {
  const { listing = {}, records = [], identifiers = [], removed_at: removedAt, link } = entry
  const rows: (readonly [string, string | undefined])[] = [
    ["left the list", removedAt],
    ...entry.names.map((name) => [nameLabel(name), withNote(name)] as const),
    ...TEXTS.flatMap(([label, member]) => (entry[member] ?? []).map((text) => [label, text] as const)),
    ...PRINTED.flatMap(([label, member]) => (entry[member] ?? []).map((one) => [label, withNote(one)] as const)),
    ...identifiers.map((one) => [one.label, identifierText(one)] as const),
    ...LABELLED.flatMap(([label, member]) => (entry[member] ?? []).map((one) => [label, labelled(one)] as const)),
    ["listed from", listing.from],
    ["updated", listing.updated],
    ["until", listing.until],
    ["listed by", listing.by],
    ...records.map((cells) => ["record", cells.map(labelled).join("; ")] as const),
    [PAGE_LABEL, link],
    ...Object.entries(entry.truncated ?? {}).map(([member, count]) => [`${member} left out`, String(count)] as const),
  ]
  return rows.flatMap(([label, value]) => (value === undefined ? [] : [{ label, value }]))
}

function nameLabel({ kind, quality }: EntryDetails["names"][number]): string {
  const words = { primary: "name", alias: "alias", former: "former name", native: "in its own script" }[kind]
  return quality === "WEAK" ? `weak ${words}` : words
}

function withNote({ text, note }: Pick<Printed, "text" | "note">): string {
  return note === undefined ? text : `${text} (${note})`
}

function labelled({ label, text }: Labelled): string {
  return `${label}: ${text}`
}

export function identifierText({
  value,
  country,
  issued,
  expires,
  note,
}: NonNullable<EntryDetails["identifiers"]>[number]) {
  const more = [country, issued && `issued ${issued}`, expires && `expires ${expires}`, note].filter(Boolean)
  return more.length === 0 ? value : `${value} (${more.join(", ")})`
}
