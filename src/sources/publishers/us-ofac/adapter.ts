/**
 * OFAC's two lists. A folder may hold SDN.XML, SDN_XML.ZIP or the four CSV files. If both forms exist, the XML is used, because it states
 * its own date and count.
 */

import { unzip } from "../../formats/unzip.ts"
import type { EmitDetails, Parsed, SourceAdapter, SourceFile } from "../../records/adapter.ts"
import { hard, soft } from "../../records/findings.ts"
import { LIST_ROWS } from "../../records/list-rows.ts"
import { baseName, findFile, notZip } from "../../records/source-text.ts"
import type { ReadText } from "../../records/unseen-characters.ts"
import { contentVersion } from "../content-version.ts"
import { earlierParsers, parseBothWays, readDetails } from "../parse-both-ways.ts"
import { parsed } from "../reading.ts"
import { parseCsvSet } from "./csv-set.ts"
import { CONSOLIDATED, type OfacList, SDN } from "./lists.ts"
import { ofacWords } from "./words.ts"
import { parseXmlList, XML_BYTES_MAX } from "./xml-list.ts"

const ZIP_ENTRIES_MAX = 4

function ofacAdapter(list: OfacList): SourceAdapter {
  const parse = (files: readonly SourceFile[], readText: ReadText, emit: EmitDetails | null) =>
    withReview(list, files, parseAny(list, files, readText, emit))
  const row = LIST_ROWS[list.id]
  return {
    id: list.id,
    parserVersion: row.parserVersion,
    sourceUrl: list.sourceUrl,
    windows: row.windows,
    licence: row.licence,
    shrinkFloor: 0.9,
    words: ofacWords(list),
    canaries: list.canaries,
    parse: parseBothWays(parse),
    detailsVersion: row.detailsVersion,
    details: readDetails(parse),
    earlierParsers: earlierParsers(row, parse),
  }
}

function parseAny(list: OfacList, files: readonly SourceFile[], readText: ReadText, emit: EmitDetails | null): Parsed {
  const xml = findFile(files, list.files.xml)
  if (xml) return parseXmlList(list, xml, readText, emit)
  const zip = findFile(files, list.files.xmlZip)
  return zip ? parseZip(list, zip, readText, emit) : parseCsvSet(list, files, readText, emit)
}

function parseZip(list: OfacList, zip: SourceFile, readText: ReadText, emit: EmitDetails | null): Parsed {
  const withFinding = (finding: Parsed["findings"][number]) =>
    parsed({ parties: [], version: contentVersion([zip], 0), findings: [finding] })
  const refusal = notZip(zip, XML_BYTES_MAX)
  if (refusal) return withFinding(refusal)
  const unzipped = unzip(zip.bytes, zip.name, { entriesMax: ZIP_ENTRIES_MAX, bytesMax: XML_BYTES_MAX })
  if ("finding" in unzipped) return withFinding(unzipped.finding)
  const [entry] = unzipped.entries.filter(({ name }) => name.toLowerCase().endsWith(".xml"))
  if (!entry) return withFinding(hard("MISSING_FILE", "the archive holds no XML file", zip.name))
  return parseXmlList(list, { name: entry.name, bytes: entry.bytes, modifiedAt: zip.modifiedAt }, readText, emit)
}

function withReview(list: OfacList, files: readonly SourceFile[], reading: Parsed): Parsed {
  const findings = [...reading.findings]
  const { entries } = reading.counts
  if (entries < list.expectedEntriesMin) {
    findings.push(soft("BELOW_EXPECTED", `${entries} entries, at least ${list.expectedEntriesMin} are expected`))
  }
  const known = new Set<string>(Object.values(list.files))
  for (const file of files) {
    if (!known.has(baseName(file.name).toLowerCase()))
      findings.push(soft("UNUSED_FILE", "not a file of this list", file.name))
  }
  return { ...reading, findings }
}

export const usOfacSdn = ofacAdapter(SDN)
export const usOfacConsolidated = ofacAdapter(CONSOLIDATED)
