/**
 * The listed entries in the facts of an answer: what the publisher printed about each hit, so that a person can compare it with the supplier years
 * later. They change no decision.
 */
import { ANSWER_ENTRY_FACTS_FORMAT } from "../../../schemas/answer-facts.ts"
import type { StoredEntry } from "../../../schemas/entry-details.ts"
import type { ScreenedName } from "../../../schemas/gb/supplier-facts.ts"
import type { ScreeningFact, ScreeningHit } from "../../../schemas/screening-facts.ts"
import type { SourceFact } from "../../../schemas/source-fact.ts"
import { DECISION_ENTRY_FACTS_FORMAT } from "../../../schemas/us/decision-facts.ts"
import type { WalletHits } from "../../../schemas/us/invoice-facts.ts"
import type { RecordedSupplier } from "../../../schemas/us/recorded-supplier.ts"
import type { ListedEntries } from "../../sources/details/entry-book.ts"
import { fitEntry } from "../../sources/details/fit-entry.ts"

/** Entries of one answer. */
const ENTRIES_MAX = 10
/** Of one entry as JSON. */
const ENTRY_BYTES_MAX = 8 * 1024
/** Of all entries of one answer together. */
const BYTES_MAX = 64 * 1024

/** The members of the facts of any product that have hits. */
export interface ScreenedMembers {
  readonly wallet_hits?: WalletHits
  readonly screening?: ScreeningFact
  readonly recorded_supplier?: RecordedSupplier
  readonly screened_names?: readonly ScreenedName[]
}

export interface FactsWithHits extends ScreenedMembers {
  readonly format: string
  readonly sources: readonly Pick<SourceFact, "source_id" | "snapshot_id">[]
}

/**
 * Adds the entries of the first ten hits. An entry with several hits is stored at the first of them. Without an entry to add the facts stay the
 * same object, so a program before this one still reads them.
 */
export function withEntries<F extends FactsWithHits>(facts: F, entries: ListedEntries | null): F {
  if (entries === null) return facts
  const shelf = new Shelf(facts.sources, entries)
  const shelved = mapScreened(facts, shelf)
  if (!shelf.hasStored) return facts
  const isAnswer = facts.format.startsWith("svc.answer-facts.")
  return { ...facts, ...shelved, format: isAnswer ? ANSWER_ENTRY_FACTS_FORMAT : DECISION_ENTRY_FACTS_FORMAT }
}

/** Returns the members without their entries, as the screening gives them. */
export function withoutEntries<Members extends ScreenedMembers>(members: Members): Members {
  return { ...members, ...mapScreened(members, { hit: withoutEntry, screening: screeningWithoutEntries }) }
}

function withoutEntry<Hit extends ScreeningHit>({ entry: _, ...hit }: Hit): Hit {
  return hit as Hit
}

export function screeningWithoutEntries({ entries_left_out: _, ...screening }: ScreeningFact): ScreeningFact {
  const { suppressed_hits: suppressed } = screening
  return {
    ...screening,
    hits: screening.hits.map(withoutEntry),
    ...(suppressed && { suppressed_hits: suppressed.map(withoutEntry) }),
  }
}

/** Every hit that has an entry, with the snapshot that the entry is from. */
export function storedEntries(facts: Omit<FactsWithHits, "format">): readonly ScreeningHit[] {
  const found: ScreeningHit[] = []
  const hit = <Hit extends ScreeningHit>(one: Hit): Hit => {
    if (one.entry) found.push(one)
    return one
  }
  const screening = (one: ScreeningFact) => {
    for (const each of [...one.hits, ...(one.suppressed_hits ?? [])]) hit(each)
    return one
  }
  mapScreened(facts, { hit, screening })
  return found
}

interface Mapping {
  hit<Hit extends ScreeningHit>(hit: Hit): Hit
  screening(screening: ScreeningFact): ScreeningFact
}

/** Wallets first: they are few and weigh most. Then the screenings in the order of their making. */
function mapScreened(members: ScreenedMembers, mapping: Mapping): ScreenedMembers {
  const { wallet_hits: wallets, screening, recorded_supplier: recorded, screened_names: names } = members
  return {
    ...(wallets && { wallet_hits: mapWallets(wallets, mapping) }),
    ...(screening && { screening: mapping.screening(screening) }),
    ...(recorded && { recorded_supplier: mapRecorded(recorded, mapping) }),
    ...(names && { screened_names: names.map((one) => ({ ...one, screening: mapping.screening(one.screening) })) }),
  }
}

function mapWallets({ payee, payment_destination: destination }: WalletHits, { hit }: Mapping): WalletHits {
  return { payee: payee && hit(payee), payment_destination: destination && hit(destination) }
}

function mapRecorded(recorded: RecordedSupplier, mapping: Mapping): RecordedSupplier {
  const { other_names: others } = recorded
  return {
    ...recorded,
    screening: mapping.screening(recorded.screening),
    ...(others && { other_names: others.map((one) => ({ ...one, screening: mapping.screening(one.screening) })) }),
  }
}

class Shelf implements Mapping {
  hasStored = false
  #left = ENTRIES_MAX
  #bytes = BYTES_MAX
  readonly #known = new Set<string>()
  readonly #snapshots: ReadonlyMap<string, string>

  constructor(
    sources: FactsWithHits["sources"],
    private readonly entries: ListedEntries,
  ) {
    this.#snapshots = new Map(sources.map(({ source_id, snapshot_id }) => [source_id, snapshot_id]))
  }

  readonly hit = <Hit extends ScreeningHit>(hit: Hit): Hit => {
    const entry = this.#entryFor(hit)
    return entry === null || entry === "LEFT_OUT" ? hit : { ...hit, entry }
  }

  readonly screening = (screening: ScreeningFact): ScreeningFact => {
    let leftOut = 0
    const shelved = <Hit extends ScreeningHit>(hit: Hit): Hit => {
      const entry = this.#entryFor(hit)
      if (entry === "LEFT_OUT") leftOut += 1
      return entry === null || entry === "LEFT_OUT" ? hit : { ...hit, entry }
    }
    const hits = screening.hits.map(shelved)
    const suppressed = screening.suppressed_hits?.map(shelved)
    if (leftOut > 0) this.hasStored = true
    return {
      ...screening,
      hits,
      ...(suppressed && { suppressed_hits: suppressed }),
      ...(leftOut > 0 && { entries_left_out: leftOut }),
    }
  }

  /** Null if there are no details, or if an earlier hit has the entry. */
  #entryFor({ source_id: sourceId, entry_id: entryId, matched_name: matchedName }: ScreeningHit) {
    const snapshotId = this.#snapshots.get(sourceId)
    const key = `${sourceId} ${entryId}`
    if (snapshotId === undefined || this.#known.has(key)) return null
    this.#known.add(key)
    if (this.#left === 0) return "LEFT_OUT" as const
    const found = this.entries.entryOf(sourceId, snapshotId, entryId)
    if (found === null) return null
    const entry = fitEntry({ ...found, matchedName, bytesMax: Math.min(ENTRY_BYTES_MAX, this.#bytes) })
    if (entry === null) return "LEFT_OUT" as const
    this.#store(entry)
    return entry
  }

  #store(entry: StoredEntry): void {
    this.#left -= 1
    this.#bytes -= Buffer.byteLength(JSON.stringify(entry))
    this.hasStored = true
  }
}
