/** The differences between OFAC's two publications. Everything else about them is equal. */

import type { Canary } from "../../records/adapter.ts"
import type { Measure, PartyType, SourceId } from "../../records/party.ts"

export interface OfacList {
  readonly id: Extract<SourceId, "US_OFAC_SDN" | "US_OFAC_CONSOLIDATED">
  readonly sourceUrl: string
  readonly files: {
    readonly primary: string
    readonly addresses: string
    readonly aliases: string
    readonly comments: string
    readonly xml: string
    readonly xmlZip: string
  }
  readonly measure: Measure
  /** A fifth below the newest known size: 19,391 entries (SDN, 2026-09-23), 442 (consolidated, 2025-12-19). */
  readonly expectedEntriesMin: number
  readonly listOf: (programs: readonly string[]) => string
  readonly canaries: readonly Canary[]
}

const EXPORTS = "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports"

export const SDN: OfacList = {
  id: "US_OFAC_SDN",
  sourceUrl: `${EXPORTS}/SDN.CSV`,
  files: {
    primary: "sdn.csv",
    addresses: "add.csv",
    aliases: "alt.csv",
    comments: "sdn_comments.csv",
    xml: "sdn.xml",
    xmlZip: "sdn_xml.zip",
  },
  measure: "block",
  expectedEntriesMin: 15_400,
  listOf: () => "SDN",
  canaries: [
    { entryId: "306", name: "BANCO NACIONAL DE CUBA" },
    { entryId: "173", name: "ANGLO-CARIBBEAN CO., LTD." },
  ],
}

export const CONSOLIDATED: OfacList = {
  id: "US_OFAC_CONSOLIDATED",
  sourceUrl: `${EXPORTS}/CONS_PRIM.CSV`,
  files: {
    primary: "cons_prim.csv",
    addresses: "cons_add.csv",
    aliases: "cons_alt.csv",
    comments: "cons_comments.csv",
    xml: "consolidated.xml",
    xmlZip: "cons_xml.zip",
  },
  // These are directives and menus of restrictions, not asset freezes. The programs name them.
  measure: "hold",
  expectedEntriesMin: 350,
  listOf: consolidatedListOf,
  canaries: [
    { entryId: "17018", name: "PUBLIC JOINT STOCK COMPANY SBERBANK OF RUSSIA" },
    { entryId: "9639", name: "HANIYA, Ismail Abdul Salah" },
  ],
}

/** The consolidated files do not name the list of an entry. Each of these programs belongs to one list only. */
const LIST_BY_PROGRAM: readonly (readonly [RegExp, string])[] = [
  [/^NS-PLC$/, "NS-PLC"],
  [/^CMIC-/, "NS-CMIC"],
  [/^FSE-/, "FSE"],
  [/^561-/, "CAPTA"],
  [/^UKRAINE-EO13662$/, "SSI"],
]

function consolidatedListOf(programs: readonly string[]): string {
  const known = LIST_BY_PROGRAM.find(([pattern]) => programs.some((program) => pattern.test(program)))
  return known ? known[1] : "NON-SDN"
}

/** `SDG] [IFSR` prints two programs. */
export function splitPrograms(text: string): string[] {
  return text === "" ? [] : text.split("] [").map((program) => program.trim())
}

/** Returns null for a type that OFAC has not used so far. */
export function typeOf(text: string): PartyType | null {
  const word = text.toLowerCase()
  if (word === "individual") return "person"
  if (word === "vessel" || word === "aircraft") return word
  return word === "" || word === "entity" ? "org" : null
}
