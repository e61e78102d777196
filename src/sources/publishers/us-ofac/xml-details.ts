/** The details of one entry of OFAC's XML list. A text that no rule here reads goes to the record, under the path of its element. */
import type { DetailedIdentifier, DetailedName, EntryDetails, Labelled } from "../../../../schemas/entry-details.ts"
import { ofacLink } from "../../../catalogue/publisher-pages.ts"
import { EntryBuilder, noted } from "../../details/entry-builder.ts"
import type { PartyType, SourceId } from "../../records/party.ts"
import { addRemarkDetails } from "./details-of-remarks.ts"
import { joinAddress } from "./entry.ts"
import type { XmlNode } from "./xml-nodes.ts"

const OWN = ["uid", "lastName", "firstName", "sdnType", "title", "remarks"]
const AKA = ["uid", "lastName", "firstName", "type", "category"]
const ADDRESS = ["uid", "address1", "address2", "address3", "city", "stateOrProvince", "postalCode", "country"]
const DOCUMENT = ["uid", "idType", "idNumber", "idCountry", "issueDate", "expirationDate"]
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
  const left: Labelled[] = []
  const [uid = "", last = "", first = "", kind = "", title = "", remarks = ""] = textsOf(node, OWN, left)
  if (uid !== id) entry.labelled("references", "uid", uid)
  entry.name({ text: nameOf(last, first, type), kind: "primary", quality: "NOT_STATED" })
  entry.text("type", kind)
  entry.text("title", title)
  entry.labelled("remarks", "remarks", remarks)
  addRemarkDetails(entry, remarks)
  for (const list of node.children) {
    if (list.children.length === 0) continue
    const read = LISTS[list.name]
    if (read === undefined) leave(list, list.name, left)
    else for (const item of list.children) read(entry, item, left, type)
  }
  entry.record(left)
  return entry.build(ofacLink(id))
}

/** Puts an item of a list into the entry, and what nobody reads of it into `left`. */
type ReadItem = (entry: EntryBuilder, item: XmlNode, left: Labelled[], type: PartyType) => void

const LISTS: Readonly<Record<string, ReadItem>> = {
  programList: (entry, item) => entry.text("programs", printed(item)),
  akaList: addAlias,
  addressList(entry, item, left) {
    const [uid = "", ...parts] = textsOf(item, ADDRESS, left)
    const text = joinAddress(parts)
    if (text !== null) entry.printed("addresses", text, uid)
    else leaveTexts(left, item, [["uid", uid]])
  },
  idList: addDocument,
  nationalityList: itemOf("country", "nationalities"),
  citizenshipList: itemOf("country", "citizenships"),
  dateOfBirthList: itemOf("dateOfBirth", "births"),
  placeOfBirthList: itemOf("placeOfBirth", "birth_places"),
  // Its children are texts and no items.
  vesselInfo(entry, { name, ...item }) {
    entry.labelled(name === "vesselOwner" ? "linked_to" : "vessel", name, printed(item))
  },
}

function itemOf(name: string, member: "births" | "birth_places" | "nationalities" | "citizenships"): ReadItem {
  const names = ["uid", name, "mainEntry"]
  return (entry, item, left) => {
    const [uid = "", text = "", main = ""] = textsOf(item, names, left)
    if (text !== "") entry.printed(member, text, uid, main === "" ? "" : `mainEntry ${main}`)
    else
      leaveTexts(left, item, [
        ["uid", uid],
        ["mainEntry", main],
      ])
  }
}

/** Returns the texts of the children of these names, `""` for an absent one. Every other text goes to `left`, unless a list of it is read. */
function textsOf(node: XmlNode, names: readonly string[], left: Labelled[]): string[] {
  const texts = names.map(() => "")
  for (const child of node.children) {
    if (child.children.length > 0) continue
    const at = names.indexOf(child.name)
    const text = printed(child)
    if (text === "") continue
    if (at < 0 || texts[at] !== "") left.push({ label: `${node.name}/${child.name}`, text })
    else texts[at] = text
  }
  return texts
}

function leaveTexts(left: Labelled[], { name }: XmlNode, texts: readonly (readonly [string, string])[]): void {
  for (const [label, text] of texts) if (text !== "") left.push({ label: `${name}/${label}`, text })
}

/** Leaves every text of the node and below it. */
function leave(node: XmlNode, path: string, left: Labelled[]): void {
  const text = printed(node)
  if (text !== "") left.push({ label: path, text })
  for (const child of node.children) leave(child, `${path}/${child.name}`, left)
}

function printed(node: Pick<XmlNode, "text" | "printed">): string {
  return (node.printed ?? node.text).trim()
}

function nameOf(last: string, first: string, type: PartyType): string {
  if (first === "" || last === "") return last + first
  return type === "person" ? `${last}, ${first}` : `${first} ${last}`
}

function addAlias(entry: EntryBuilder, aka: XmlNode, left: Labelled[], type: PartyType): void {
  const [uid = "", last = "", first = "", kind = "", category = ""] = textsOf(aka, AKA, left)
  const text = nameOf(last, first, type)
  if (text === "") {
    leaveTexts(left, aka, [
      ["uid", uid],
      ["type", kind],
      ["category", category],
    ])
    return
  }
  const word = category.toLowerCase()
  const name: DetailedName = {
    text,
    kind: /^f\.?k\.?a/i.test(kind) ? "former" : "alias",
    quality: word === "strong" ? "STRONG" : word === "weak" ? "WEAK" : "NOT_STATED",
  }
  const note = kind === "" || category === "" ? kind + category : `${kind}, ${category}`
  entry.name(noted(name, uid, note))
}

function addDocument(entry: EntryBuilder, document: XmlNode, left: Labelled[]): void {
  const [uid = "", label = "", value = "", country = "", issued = "", expires = ""] = textsOf(document, DOCUMENT, left)
  const isPlain = country === "" && issued === "" && expires === ""
  const member = CONTACT.test(label) ? "contacts" : MEASURE.test(label) ? "measures" : null
  if (isPlain && value !== "" && (member !== null || label === "Gender" || LISTED.test(label))) {
    if (member !== null) entry.labelled(member, label, value)
    else if (label === "Gender") entry.text("gender", value)
    else entry.listing("from", `${label} ${value}`)
    leaveTexts(left, document, [["uid", uid]])
    return
  }
  // A document without a number is printed with its label alone.
  const identifier: DetailedIdentifier = { label, value: value || label || uid || country || issued || expires }
  if (country !== "") identifier.country = country
  if (issued !== "") identifier.issued = issued
  if (expires !== "") identifier.expires = expires
  entry.identifier(noted(identifier, uid))
}
