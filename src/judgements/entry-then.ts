/** The listed entry of a hit, as the answer was decided with it and as the list states it now. */
import type { StoredEntry } from "../../schemas/entry-details.ts"
import type { ScreeningHit } from "../../schemas/screening-facts.ts"
import { canonicalize } from "../core/canonical-json.ts"
import { instant } from "../core/time.ts"
import { storedEntries } from "../products/common/stored-entries.ts"
import { readKept, usedSource } from "../sources/boards/rebuild-index.ts"
import { stillScreened } from "../sources/import/removed-parties.ts"
import type { Party } from "../sources/records/party.ts"
import type { GivenAnswer } from "./given-answer.ts"
import type { JudgingLists } from "./judging-lists.ts"

type EntryThen =
  | { readonly state: "PARTY"; readonly party: Party }
  /** The publisher's bytes of that time are not here, and the facts have what they printed. */
  | { readonly state: "DETAILS"; readonly entry: StoredEntry }
  | { readonly state: "UNKNOWN"; readonly why: string }

/** The publisher's bytes of that time are not asked. */
const NOT_READ = { state: "NOT_READ", why: "its list is not in use any more" } as const

/** `root`: folder of all snapshots; null if those that are not in use must not be read. */
export function entryThen(
  { root, lists }: { readonly root: string | null; readonly lists: Pick<JudgingLists, "index"> },
  { facts }: Pick<GivenAnswer, "facts">,
  hit: ScreeningHit,
): EntryThen {
  const source = facts.sources.find(({ source_id }) => source_id === hit.source_id)
  if (!source) return { state: "UNKNOWN", why: `the answer does not name its snapshot of ${hit.source_id}` }
  const isInUse = lists.index.snapshotIds[hit.source_id] === source.snapshot_id
  const kept = isInUse ? null : root === null ? NOT_READ : readKept(root, usedSource(source))
  if (kept !== null && kept.state !== "SAME") {
    const entry = storedEntries(facts).find((one) => isSameEntry(one, hit))?.entry
    if (entry && entry.truncated === undefined) return { state: "DETAILS", entry }
    return { state: "UNKNOWN", why: kept.why }
  }
  const parties = kept
    ? [...kept.stored.parties, ...stillScreened(kept.stored.removed, instant(facts.at)).map(({ party }) => party)]
    : Array.from({ length: lists.index.size.parties }, (_, at) => lists.index.tables.partyAt(at))
  const party = parties.find((one) => isParty(one, hit))
  return party ? { state: "PARTY", party } : { state: "UNKNOWN", why: "its snapshot does not have the entry" }
}

const isSameEntry = (one: ScreeningHit, other: ScreeningHit) =>
  one.source_id === other.source_id && one.entry_id === other.entry_id

/** An entry that changed its name is screened twice: as it is, and with the names it lost, in another list. */
function isParty(party: Party, hit: ScreeningHit): boolean {
  return (
    party.sourceId === hit.source_id &&
    party.entryId === hit.entry_id &&
    party.list === hit.list &&
    party.measure === hit.measure &&
    (hit.basis === "IDENTIFIER" || party.names.some(({ text }) => text === hit.matched_name))
  )
}

/** One line for each member that differs. Of a list: what is new and what is gone. `line` of a party is where it lies in its file. */
export function differencesOf(before: object, after: object): readonly string[] {
  const [was, is] = [new Map(Object.entries(before)), new Map(Object.entries(after))]
  const names = [...new Set([...was.keys(), ...is.keys()])].filter((name) => name !== "line")
  return names.flatMap((name) => {
    const [old, now] = [was.get(name), is.get(name)]
    if (canonicalize(old ?? null) === canonicalize(now ?? null)) return []
    const [gone, added] = [itemsBeside(old, now), itemsBeside(now, old)]
    const parts = [...added.map((one) => `+ ${one}`), ...gone.map((one) => `- ${one}`)]
    return [`${name}: ${parts.length === 0 ? "in another order" : parts.join(", ")}`]
  })
}

/** The items of one value that the other lacks. */
function itemsBeside(one: unknown, other: unknown): readonly string[] {
  const others = new Set(textsOf(other))
  return textsOf(one).filter((text) => !others.has(text))
}

function textsOf(value: unknown): readonly string[] {
  if (value === undefined || value === null) return []
  return (Array.isArray(value) ? value : [value]).map(textOf)
}

function textOf(item: unknown): string {
  if (typeof item !== "object" || item === null) return String(item)
  const { text, scheme, value } = item as Readonly<Record<string, unknown>>
  if (typeof text === "string") return text
  return typeof scheme === "string" ? `${scheme}:${String(value)}` : JSON.stringify(item)
}
