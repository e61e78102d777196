/** What the publisher prints about the listed entries of a case, from the facts that keep it. */
import { Value as Schema } from "@sinclair/typebox/value"
import type { CaseEntry } from "../../schemas/case.ts"
import { StoredEntry } from "../../schemas/entry-details.ts"
import { pageInTable } from "../catalogue/publisher-pages.ts"
import { at, textAt, type Value } from "./members.ts"
import { entryRows, identifierText } from "./words/entry-rows.ts"

/** The facts keep an entry at its first hit only. A value of another form is no entry. */
export function entriesOf(hits: readonly Value[]): (hit: Value) => StoredEntry | null {
  const found = new Map<string, StoredEntry>()
  for (const hit of hits) {
    const entry = at(hit, "entry")
    if (Schema.Check(StoredEntry, entry) && !found.has(keyOf(hit))) found.set(keyOf(hit), entry)
  }
  return (hit) => found.get(keyOf(hit)) ?? null
}

function keyOf(hit: Value): string {
  return JSON.stringify([textAt(hit, "source_id"), textAt(hit, "entry_id")])
}

export function caseEntry({ link, ...entry }: StoredEntry): CaseEntry {
  return {
    details_version: entry.details_version,
    rows: [...entryRows(entry)],
    link: link === undefined ? null : pageInTable(entry.entry_id, link),
  }
}

const PRINTED_MAX = 3

/** The first texts of a member, for one row of a comparison. Null if there are none. */
function joined(texts: readonly string[]): string | null {
  const rest = texts.length - PRINTED_MAX
  const more = rest > 0 ? [`and ${rest} more below`] : []
  return [...texts.slice(0, PRINTED_MAX), ...more].join("; ") || null
}

/** What a screening compares beside the name. */
export type PrintedMember = "identifier" | "country" | "address" | "birth_date" | "type"

/** Null if the entry prints nothing about it. */
export function printedOf(entry: StoredEntry, member: PrintedMember): string | null {
  const texts = (items: readonly { readonly text: string }[] = []) => items.map(({ text }) => text)
  switch (member) {
    case "identifier":
      return joined((entry.identifiers ?? []).map((one) => `${one.label} ${identifierText(one)}`))
    case "country":
      return joined([...texts(entry.nationalities), ...texts(entry.citizenships)])
    case "address":
      return joined(texts(entry.addresses))
    case "birth_date":
      return joined(texts(entry.births))
    case "type":
      return joined(entry.type ?? [])
  }
}
