/** The details of one entry of OFAC's XML list. A text that no rule here reads goes to the records, under the path of its element. */
import type { DetailedIdentifier, DetailedName, EntryDetails, Labelled } from "../../../../schemas/entry-details.ts"
import { EntryBuilder, noted } from "../../details/entry-builder.ts"
import { ofacLink } from "../../details/entry-links.ts"
import type { PartyType, SourceId } from "../../records/party.ts"
import { addRemarkDetails } from "./details-of-remarks.ts"
import { joinAddress } from "./entry.ts"
import type { XmlNode } from "./xml-nodes.ts"

const ADDRESS = ["address1", "address2", "address3", "city", "stateOrProvince", "postalCode", "country"]
/** OFAC prints these features of a party among its documents. */
const CONTACT = /^(?:Website|Email Address|Phone Number|Fax)\b/i
const MEASURE = /sanctions|^Transactions Prohibited|^Executive Order/i
const LISTED = /^Listing Date\b/i

/** `node`: the entry as the publisher wrote it. */
export function xmlDetails(
  sourceId: SourceId,
  node: XmlNode,
  { id, type }: { readonly id: string; readonly type: PartyType },
): EntryDetails {
  const entry = new EntryBuilder(sourceId, id)
  const reading = new Reading()
  const own = (name: string) => reading.take(node, name)
  const uid = own("uid")
  if (uid !== id) entry.labelled("references", "uid", uid)
  entry.name({ text: nameOf(reading, node, type), kind: "primary", quality: "NOT_STATED" })
  entry.text("type", own("sdnType"))
  entry.text("title", own("title"))
  const remarks = own("remarks")
  entry.labelled("remarks", "remarks", remarks)
  addRemarkDetails(entry, remarks)
  for (const program of reading.items(node, "programList")) entry.text("programs", reading.takeText(program))
  for (const aka of reading.items(node, "akaList")) addAlias(entry, reading, aka, type)
  for (const address of reading.items(node, "addressList")) addAddress(entry, reading, address)
  for (const document of reading.items(node, "idList")) addDocument(entry, reading, document)
  addItems(entry, reading, node)
  for (const vessel of node.children.filter(({ name }) => name === "vesselInfo")) addVessel(entry, reading, vessel)
  entry.record(reading.rest(node))
  return entry.build(ofacLink(id))
}

/** Remembers which texts were taken. */
class Reading {
  readonly #taken = new Set<XmlNode>()

  /** Returns the text of the first child of this name; `""` if there is none. */
  take(node: XmlNode, name: string): string {
    const child = node.children.find((one) => one.name === name)
    return child ? this.takeText(child) : ""
  }

  takeText(node: XmlNode): string {
    this.#taken.add(node)
    return printed(node)
  }

  items(node: XmlNode, list: string): readonly XmlNode[] {
    return node.children.filter(({ name }) => name === list).flatMap(({ children }) => children)
  }

  /** Returns every text below the node that nobody took. */
  rest(node: XmlNode, path = ""): Labelled[] {
    const text = this.#taken.has(node) || path === "" ? "" : printed(node)
    const below = node.children.flatMap((child) => this.rest(child, path === "" ? child.name : `${path}/${child.name}`))
    return text === "" ? below : [{ label: path, text }, ...below]
  }
}

function printed(node: XmlNode): string {
  return (node.printed ?? node.text).trim()
}

function nameOf(reading: Reading, node: XmlNode, type: PartyType): string {
  const last = reading.take(node, "lastName")
  const first = reading.take(node, "firstName")
  if (first === "" || last === "") return last + first
  return type === "person" ? `${last}, ${first}` : `${first} ${last}`
}

function addAlias(entry: EntryBuilder, reading: Reading, aka: XmlNode, type: PartyType): void {
  const text = nameOf(reading, aka, type)
  // What says something of no name is left for the record.
  if (text === "") return
  const kind = reading.take(aka, "type")
  const category = reading.take(aka, "category")
  const quality = { strong: "STRONG", weak: "WEAK" }[category.toLowerCase()] as "STRONG" | "WEAK" | undefined
  const note = [kind, category].filter((part) => part !== "").join(", ")
  const name: DetailedName = {
    text,
    kind: /^f\.?k\.?a/i.test(kind) ? "former" : "alias",
    quality: quality ?? "NOT_STATED",
  }
  entry.name(noted(name, reading.take(aka, "uid"), note))
}

function addAddress(entry: EntryBuilder, reading: Reading, address: XmlNode): void {
  const text = joinAddress(ADDRESS.map((part) => reading.take(address, part)))
  if (text !== null) entry.printed("addresses", text, reading.take(address, "uid"))
}

function addDocument(entry: EntryBuilder, reading: Reading, document: XmlNode): void {
  const [label, value] = [reading.take(document, "idType"), reading.take(document, "idNumber")]
  if (label === "" && value === "") return
  const [country, number] = [reading.take(document, "idCountry"), reading.take(document, "uid")]
  const [issued, expires] = [reading.take(document, "issueDate"), reading.take(document, "expirationDate")]
  const isPlain = country === "" && issued === "" && expires === ""
  const member = CONTACT.test(label) ? "contacts" : MEASURE.test(label) ? "measures" : null
  if (isPlain && value !== "" && (member !== null || label === "Gender" || LISTED.test(label))) {
    if (member !== null) entry.labelled(member, label, value)
    else if (label === "Gender") entry.text("gender", value)
    else entry.listing("from", `${label} ${value}`)
    entry.record([{ label: `idList/${label}`, text: number }].filter(({ text }) => text !== ""))
    return
  }
  // A document without a number is printed with its label alone.
  const identifier: DetailedIdentifier = { label, value: value === "" ? label : value }
  if (country !== "") identifier.country = country
  if (issued !== "") identifier.issued = issued
  if (expires !== "") identifier.expires = expires
  entry.identifier(noted(identifier, number))
}

const ITEMS = [
  ["nationalityList", "country", "nationalities"],
  ["citizenshipList", "country", "citizenships"],
  ["dateOfBirthList", "dateOfBirth", "births"],
  ["placeOfBirthList", "placeOfBirth", "birth_places"],
] as const

function addItems(entry: EntryBuilder, reading: Reading, node: XmlNode): void {
  for (const [list, name, member] of ITEMS)
    for (const item of reading.items(node, list)) {
      const text = reading.take(item, name)
      if (text === "") continue
      const main = reading.take(item, "mainEntry")
      const note = main === "" ? "" : `mainEntry ${main}`
      entry.printed(member, text, reading.take(item, "uid"), note)
    }
}

function addVessel(entry: EntryBuilder, reading: Reading, vessel: XmlNode): void {
  for (const child of vessel.children) {
    if (child.children.length > 0) continue
    entry.labelled(child.name === "vesselOwner" ? "linked_to" : "vessel", child.name, reading.takeText(child))
  }
}
