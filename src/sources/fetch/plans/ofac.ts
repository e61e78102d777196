/**
 * The Treasury's Sanctions List Service. Each export redirects to a file store for a few minutes. The zipped XML states its own date and
 * count in one small file. The CSV set is the fallback if the Treasury withdraws the XML, and the format that many mirrors hold.
 */
import type { FetchPlan, PlanInput, PlannedFile, Planner } from "../plan.ts"
import { fileBelow, MEGABYTE } from "./locations.ts"

const EXPORTS = "https://sanctionslistservice.ofac.treas.gov/api/PublicationPreview/exports/"
const NEWS = "https://sanctionslistservice.ofac.treas.gov/changes/latest"

type Wanted = Pick<PlannedFile, "name" | "kind" | "bytesMin" | "isOptional">

const SDN_SETS: readonly (readonly Wanted[])[] = [
  [{ name: "SDN_XML.ZIP", kind: "zip", bytesMin: MEGABYTE }],
  [{ name: "SDN.XML", kind: "xml", bytesMin: 10 * MEGABYTE }],
  [
    { name: "sdn.csv", kind: "csv", bytesMin: MEGABYTE },
    { name: "add.csv", kind: "csv", bytesMin: MEGABYTE / 2 },
    { name: "alt.csv", kind: "csv", bytesMin: MEGABYTE / 2 },
    { name: "sdn_comments.csv", kind: "csv", bytesMin: 1, isOptional: true },
  ],
]

const CONSOLIDATED_SETS: readonly (readonly Wanted[])[] = [
  [{ name: "CONSOLIDATED.XML", kind: "xml", bytesMin: MEGABYTE / 4 }],
  [
    { name: "cons_prim.csv", kind: "csv", bytesMin: MEGABYTE / 32 },
    { name: "cons_add.csv", kind: "csv", bytesMin: MEGABYTE / 64 },
    { name: "cons_alt.csv", kind: "csv", bytesMin: MEGABYTE / 64 },
    { name: "cons_comments.csv", kind: "csv", bytesMin: 1, isOptional: true },
  ],
]

export const planOfacSdn: Planner = async (input) => plan("US_OFAC_SDN", SDN_SETS, input)
export const planOfacConsolidated: Planner = async (input) => plan("US_OFAC_CONSOLIDATED", CONSOLIDATED_SETS, input)

function plan(id: string, sets: readonly (readonly Wanted[])[], { transport: { mirror } }: PlanInput): FetchPlan {
  return {
    sets: sets.map((files) =>
      files.map((file) =>
        fileBelow(mirror, id, { ...file, url: new URL(file.name.toUpperCase(), EXPORTS), bytesMax: 256 * MEGABYTE }),
      ),
    ),
    news: mirror ? null : { url: new URL(NEWS), bytesMax: 32 * MEGABYTE },
  }
}
