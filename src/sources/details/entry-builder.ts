/** Collects the details of one entry from the rows or elements of its publication. Each text is kept once. */
import type {
  DetailedIdentifier,
  DetailedName,
  EntryDetails,
  Labelled,
  Printed,
} from "../../../schemas/entry-details.ts"
import type { SourceId } from "../records/party.ts"

type PrintedMember = "births" | "birth_places" | "nationalities" | "citizenships" | "addresses"
type TextMember = "type" | "list" | "title" | "programs" | "gender"
type LabelledMember = "measures" | "contacts" | "vessel" | "linked_to" | "references" | "remarks"
type ListingMember = "from" | "updated" | "until" | "by"

/** Joins the texts of several rows about one thing, such as two days of an update. */
const BETWEEN = "; "
/** Up to this length a list is searched item by item; that is faster than a set of keys. */
const SEARCHED_MAX = 24

export class EntryBuilder {
  readonly #details: EntryDetails
  /** Keys of the items of long lists. */
  readonly #keys = new Map<readonly unknown[], Set<string>>()

  constructor(sourceId: SourceId, entryId: string) {
    this.#details = { source_id: sourceId, entry_id: entryId, names: [] }
  }

  name(name: DetailedName): void {
    if (name.text !== "") this.#add(this.#details.names, name)
  }

  text(member: TextMember, text: string): void {
    if (text === "") return
    this.#details[member] ??= []
    this.#add(this.#details[member], text)
  }

  printed(member: PrintedMember, text: string, number = "", note = ""): void {
    if (text === "") return
    this.#details[member] ??= []
    this.#add(this.#details[member], noted<Printed>({ text }, number, note))
  }

  labelled(member: LabelledMember, label: string, text: string): void {
    if (text === "") return
    this.#details[member] ??= []
    this.#add(this.#details[member], { label, text })
  }

  identifier(identifier: DetailedIdentifier): void {
    if (identifier.value === "") return
    this.#details.identifiers ??= []
    this.#add(this.#details.identifiers, identifier)
  }

  listing(member: ListingMember, text: string): void {
    if (text === "") return
    this.#details.listing ??= {}
    const known = this.#details.listing[member]
    if (known === undefined) this.#details.listing[member] = text
    else if (!known.split(BETWEEN).includes(text)) this.#details.listing[member] = known + BETWEEN + text
  }

  /** Cells of one row. Rows with equal cells are one record. */
  record(cells: readonly Labelled[]): void {
    if (cells.length === 0) return
    this.#details.records ??= []
    this.#add(this.#details.records, [...cells])
  }

  /** `link`: the publisher's own page, or null. */
  build(link: string | null): EntryDetails {
    if (link !== null) this.#details.link = link
    return this.#details
  }

  #add<Item extends string | object>(items: Item[], item: Item): void {
    if (items.length === 0 || !this.#has(items, item)) items.push(item)
  }

  #has<Item extends string | object>(items: readonly Item[], item: Item): boolean {
    if (items.length <= SEARCHED_MAX) return items.some((one) => isSame(one, item))
    let keys = this.#keys.get(items)
    if (keys === undefined) {
      keys = new Set(items.map((one) => JSON.stringify(one)))
      this.#keys.set(items, keys)
    }
    const { size } = keys
    return keys.add(JSON.stringify(item)).size === size
  }
}

/** Compares two items of one list: texts, objects of texts, or lists of such objects. Most differ in their first member. */
function isSame(one: unknown, other: unknown): boolean {
  if (one === other) return true
  if (typeof one !== "object" || typeof other !== "object" || one === null || other === null) return false
  for (const name in one) if (!isSame(one[name as keyof typeof one], other[name as keyof typeof other])) return false
  for (const name in other) if (!(name in one)) return false
  return true
}

/** Adds the members that are not empty. */
export function noted<Item extends object>(
  item: Item & { number?: string; note?: string },
  number: string,
  note = "",
): Item {
  if (number !== "") item.number = number
  if (note !== "") item.note = note
  return item
}
