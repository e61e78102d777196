/**
 * The four lists that the decision needs: sample data in the publishers' formats with invented parties, or an operator's own files. An
 * operator's folder holds one folder for each source, named by its id in upper case, with the publisher's files under their own names:
 *
 *   DIR/US_OFAC_SDN/            sdn.csv add.csv alt.csv sdn_comments.csv
 *   DIR/US_OFAC_CONSOLIDATED/   cons_prim.csv cons_add.csv cons_alt.csv cons_comments.csv
 *   DIR/US_TRADE_CSL/           consolidated.csv
 *   DIR/US_SAM_EXCLUSIONS/      SAM_Exclusions_Public_Extract_….ZIP
 *
 * A source without a folder gets sample data, and the story says so.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { parse } from "csv-parse/sync"
import { REQUIRED_US_SOURCES } from "../../src/sources/records/party.ts"
import { writeSampleLists } from "../../test/fixtures/sample-lists.ts"
import { BLOCKED_ORGANISATION } from "../../test/fixtures/sample-parties.ts"

interface DemoList {
  readonly sourceId: string
  readonly folder: string
  readonly origin: "SAMPLE" | "OPERATOR"
}

export interface DemoLists {
  readonly lists: readonly DemoList[]
  /** Name of an organisation on the SDN list in use. */
  readonly listedName: string
}

const HOUR_MS = 3_600_000

/** `now` is in milliseconds. Sample lists were published an hour before it. */
export function prepareLists(scratch: string, operatorFolder: string | null, now: number): DemoLists {
  const samples = writeSampleLists(join(scratch, "sample-lists"), { publishedAt: now - HOUR_MS })
  const lists = REQUIRED_US_SOURCES.map((sourceId): DemoList => {
    const folder = samples[sourceId]
    const own = operatorFolder === null ? null : join(operatorFolder, sourceId)
    return own !== null && existsSync(own)
      ? { sourceId, folder: own, origin: "OPERATOR" }
      : { sourceId, folder, origin: "SAMPLE" }
  })
  if (operatorFolder !== null && lists.every(({ origin }) => origin === "SAMPLE")) {
    throw new Error(`${operatorFolder} has no folder named after a source: ${REQUIRED_US_SOURCES.join(", ")}`)
  }
  const sdn = lists.find(({ sourceId }) => sourceId === "US_OFAC_SDN")
  return { lists, listedName: sdn?.origin === "OPERATOR" ? listedOrganisation(sdn.folder) : BLOCKED_ORGANISATION }
}

/** Returns the first organisation of sdn.csv whose name is so long that nobody else has it by chance. */
function listedOrganisation(folder: string): string {
  const file = readdirSync(folder).find((name) => name.toLowerCase() === "sdn.csv")
  if (file === undefined) throw new Error(`${folder} has no sdn.csv`)
  const text = readFileSync(join(folder, file), "latin1").replaceAll("\u001a", "")
  const rows = parse(text, { relax_column_count: true }) as string[][]
  for (const [, name = "", type = ""] of rows) {
    if (type.trim() === "-0-" && /^[A-Z ]{20,60}$/.test(name) && name.split(" ").length >= 3) return name
  }
  throw new Error(`${folder}/${file} lists no organisation with a plain name`)
}
