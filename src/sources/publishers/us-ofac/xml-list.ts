/** SDN.XML and CONSOLIDATED.XML: one file that states its publication date, its record count and the strength of each alias. */

import type { EmitDetails, Finding, Parsed, SourceFile } from "../../records/adapter.ts"
import { countryOfName } from "../../records/country-codes.ts"
import { hard, type RowProblem, rowFindings } from "../../records/findings.ts"
import { identifierOf } from "../../records/identifier-scheme.ts"
import type { PartyIdentifier, PartyName, PartyType } from "../../records/party.ts"
import type { WordCounts } from "../../records/publisher-words.ts"
import { decodeText, notXml } from "../../records/source-text.ts"
import { asWritten, hasUnseen, type ReadText, seenCell } from "../../records/unseen-characters.ts"
import { contentVersion } from "../content-version.ts"
import { countParties } from "../count-parties.ts"
import { parsed } from "../reading.ts"
import { joinAddress, type OfacEntry, partyOf } from "./entry.ts"
import { type OfacList, typeOf } from "./lists.ts"
import { countDocument, ofacWordCounts } from "./words.ts"
import { xmlDetails } from "./xml-details.ts"
import { itemsOf, readXml, textOf, type XmlNode, type XmlReading } from "./xml-nodes.ts"

export const XML_BYTES_MAX = 256 * 1024 * 1024

const ROOT = "sdnList"
/** OFAC's own spelling. */
const PUBLICATION = "publshInformation"
const ADDRESS_PARTS = ["address1", "address2", "address3", "city", "stateOrProvince", "postalCode", "country"]

export function parseXmlList(list: OfacList, file: SourceFile, readText: ReadText, emit: EmitDetails | null): Parsed {
  const refusal = notXml(file, XML_BYTES_MAX)
  if (refusal) return parsed({ parties: [], version: contentVersion([file], 0), findings: [refusal] })
  const decoded = decodeText(file.bytes, file.name)
  const words = ofacWordCounts(list, "xml")
  const entries: OfacEntry[] = []
  const problems: RowProblem[] = []
  let date: string | null = null
  let declared: number | null = null
  const text = readText(decoded.text)
  const printed = emit ? printedEntries(decoded.text, text) : null
  const onChild = (node: XmlNode) => {
    if (node.name === PUBLICATION) {
      date = isoDate(textOf(node, "Publish_Date"))
      declared = wholeNumber(textOf(node, "Record_Count"))
    }
    if (node.name !== "sdnEntry") return
    countEntry(words, node)
    const entry = entryOf(node, file.name, words)
    if ("why" in entry) problems.push(entry)
    else {
      entries.push(entry)
      emit?.(xmlDetails(list.id, printed?.get(entry.id) ?? node, entry))
    }
  }
  const reading = readXml(text, onChild, readText)
  const parties = entries.map((entry) => partyOf(list, entry))
  return parsed({
    parties,
    counts: countParties(parties, { rows: entries.length + problems.length }),
    version: date === null ? contentVersion([file], parties.length) : `${date}#${declared ?? parties.length}`,
    // CHOICE: the publisher states a day. Its first instant is used, so that a list never looks newer than it is.
    timestamp: date === null ? null : `${date}T00:00:00.000Z`,
    declaredRecords: declared,
    words,
    used: [file.bytes],
    findings: [
      ...decoded.findings,
      ...syntaxFindings(reading, file.name),
      ...publicationFindings(date, declared, entries, file.name),
      ...rowFindings(file.name, entries.length, problems, false),
    ],
  })
}

/** Characters that no XML may hold; the parser of XML refuses them. */
const NOT_XML = /[^\P{Cc}\t\n\r\u007f-\u009f]|[\ufffe\uffff]/gu

/**
 * The entries with characters that the parser does not read, by their uid, as the publisher wrote them. Empty if `read` is the text of the file.
 */
function printedEntries(written: string, read: string): ReadonlyMap<string, XmlNode> {
  const entries = new Map<string, XmlNode>()
  if (written === read) return entries
  const onChild = (node: XmlNode) => {
    if (node.name === "sdnEntry" && hasUnseenText(node)) entries.set(seenCell(textOf(node, "uid")), node)
  }
  readXml(written.replace(NOT_XML, ""), onChild, asWritten)
  return entries
}

function hasUnseenText({ text, children }: XmlNode): boolean {
  return hasUnseen(text) || children.some(hasUnseenText)
}

function syntaxFindings(reading: XmlReading, file: string): Finding[] {
  const findings: Finding[] = []
  if (reading.root !== ROOT) findings.push(hard("NOT_DATA", `the root element is not ${ROOT}`, file))
  if (reading.fault?.kind === "CUT") findings.push(hard("TRUNCATED", "ends before its root element does", file))
  if (reading.fault?.kind === "SYNTAX") findings.push(hard("CORRUPT", `not XML at line ${reading.fault.line}`, file))
  return findings
}

function publicationFindings(
  date: string | null,
  declared: number | null,
  entries: readonly OfacEntry[],
  file: string,
): Finding[] {
  const findings: Finding[] = []
  if (date === null || declared === null) {
    findings.push(hard("SCHEMA_BREAK", `${PUBLICATION} states no date or no record count`, file))
  }
  if (declared !== null && declared !== entries.length) {
    findings.push(hard("COUNT_MISMATCH", `${declared} records declared, ${entries.length} read`, file))
  }
  const repeated = entries.length - new Set(entries.map((entry) => entry.id)).size
  if (repeated > 0) findings.push(hard("MIXED_PUBLICATION", `${repeated} entry numbers repeat`, file))
  return findings
}

function entryOf(node: XmlNode, file: string, words: WordCounts): OfacEntry | RowProblem {
  const id = textOf(node, "uid")
  if (!/^\d{1,10}$/.test(id)) return { line: node.line, why: "no uid" }
  const type = typeOf(textOf(node, "sdnType"))
  if (type === null) return { line: node.line, why: "unknown sdnType" }
  const countries = [
    ...[...itemsOf(node, "nationalityList"), ...itemsOf(node, "citizenshipList"), ...itemsOf(node, "addressList")].map(
      (item) => textOf(item, "country"),
    ),
    ...node.children.filter((child) => child.name === "vesselInfo").map((vessel) => textOf(vessel, "vesselFlag")),
  ]
  return {
    id,
    type,
    programs: itemsOf(node, "programList").map((program) => program.text.trim()),
    names: [
      { text: nameOf(node, type), kind: "primary" },
      ...itemsOf(node, "akaList").map((aka) => aliasOf(aka, type)),
    ],
    identifiers: itemsOf(node, "idList").flatMap((item) => documentOf(item, type, words)),
    birthDates: itemsOf(node, "dateOfBirthList").map((item) => textOf(item, "dateOfBirth")),
    countries: countries.flatMap((name) => countryOfName(name) ?? []),
    addresses: itemsOf(node, "addressList").flatMap(
      (item) => joinAddress(ADDRESS_PARTS.map((part) => textOf(item, part))) ?? [],
    ),
    line: { file, number: node.line },
  }
}

function countEntry(words: WordCounts, node: XmlNode): void {
  words.add("xml-type", textOf(node, "sdnType").toLowerCase())
  for (const program of itemsOf(node, "programList")) words.add("xml-program", program.text.trim())
  for (const aka of itemsOf(node, "akaList")) {
    words.add("xml-strength", textOf(aka, "category"))
    words.add("xml-alias", textOf(aka, "type"))
  }
  for (const item of itemsOf(node, "dateOfBirthList"))
    if (textOf(item, "dateOfBirth") !== "") words.add("xml-birth", "dateOfBirth")
}

/** Returns the name in the form of the CSV: `LAST, First` for persons. */
function nameOf(node: XmlNode, type: PartyType): string {
  const last = textOf(node, "lastName")
  const first = textOf(node, "firstName")
  if (first === "") return last
  return type === "person" ? `${last}, ${first}` : `${first} ${last}`
}

function aliasOf(aka: XmlNode, type: PartyType): PartyName {
  const text = nameOf(aka, type)
  if (textOf(aka, "category") === "weak") return { text, kind: "weak" }
  return { text, kind: textOf(aka, "type") === "f.k.a." ? "fka" : "aka" }
}

function documentOf(item: XmlNode, type: PartyType, words: WordCounts): PartyIdentifier[] {
  const country = countryOfName(textOf(item, "idCountry"))
  const [label, number] = [textOf(item, "idType"), textOf(item, "idNumber")]
  const identifier = identifierOf(label, number, country, type)
  countDocument(words, label, number, identifier !== null && identifier.scheme !== "other")
  return identifier ? [identifier] : []
}

function isoDate(text: string): string | null {
  const [, month, day, year] = /^(\d{2})\/(\d{2})\/(\d{4})$/.exec(text) ?? []
  return month && day && year ? `${year}-${month}-${day}` : null
}

function wholeNumber(text: string): number | null {
  return /^\d{1,9}$/.test(text) ? Number(text) : null
}
