/** What the publisher of a list prints about one entry, from the kept bytes of a snapshot. */
import type { EntryDetails } from "../../../schemas/entry-details.ts"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { entryRows } from "../../case/words/entry-rows.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { plainText } from "../../core/text/plain-text.ts"
import { dataTable } from "../../pages/data-table.ts"
import { html } from "../../pages/html.ts"
import { singleFile } from "../../pages/single-file.ts"
import { buildDetails } from "../../sources/details/build-details.ts"
import type { OpenedDetails } from "../../sources/details/details-file.ts"
import {
  buildDetailsOf,
  type DetailsPlace,
  detailsVersionOf,
  openDetailsOf,
} from "../../sources/details/provide-details.ts"
import type { SourceId } from "../../sources/records/party.ts"
import { activeSnapshot, type SnapshotRow, snapshotsOnDisk } from "../../store/sources/sources.ts"
import { type Command, DATA_FLAG, type Input, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { rowsText } from "../rows.ts"
import { needList } from "./source-argument.ts"

/** Characters of one text. An entry is shown whole, so this only stops a file that was made to flood a terminal. */
const TEXT_MAX = 20_000

export const command: Command = {
  name: "sources entry",
  summary: "show what the publisher prints about one listed entry; exit 5 if it is not on the list, or left it",
  operands: "SOURCE:ID",
  flags: {
    ...DATA_FLAG,
    snapshot: { help: "a kept snapshot instead of the one in use", value: "ID" },
    html: { help: "print a page that needs no server, for a browser" },
    ...JSON_FLAG,
  },
  examples: ["sources entry US_OFAC_SDN:90001 --data ./data"],
  async run(input) {
    const [operand = ""] = input.operands
    if (input.on("html") && input.on("json")) throw new CommandError(EXIT.USAGE, "give --html or --json, not both")
    const { sourceId, entryId } = entryOperand(operand)
    const { store, paths } = await openData(input)
    try {
      const place = { store, root: paths.snapshots }
      const row = await snapshotOf(place, sourceId, input.text("snapshot"))
      const details = await detailsOf(place, row, entryId)
      if (details === null)
        throw new CommandError(EXIT.NOT_FOUND, `${sourceId} has no entry ${entryId} in ${row.snapshotId}`)
      return print(input, row, details)
    } finally {
      await store.close()
    }
  },
}

/** An id may hold colons: `US_TRADE_CSL:DPL:4779c011f4427560`. */
function entryOperand(operand: string): { readonly sourceId: SourceId; readonly entryId: string } {
  const colon = operand.indexOf(":")
  if (colon < 0 || colon === operand.length - 1)
    throw new CommandError(EXIT.USAGE, `${operand} is not SOURCE:ID, such as US_OFAC_SDN:306`)
  return { sourceId: needList(operand.slice(0, colon)).id, entryId: operand.slice(colon + 1) }
}

async function snapshotOf(
  { store }: DetailsPlace,
  sourceId: SourceId,
  named: string | undefined,
): Promise<SnapshotRow> {
  if (named === undefined) {
    const active = await store.read(() => activeSnapshot(sourceId))
    if (active) return active
    throw new CommandError(EXIT.NOT_FOUND, `${sourceId} was never imported: bizauth sources import ${sourceId} PATH`)
  }
  const row = (await store.read(() => snapshotsOnDisk(sourceId))).find(({ snapshotId }) => snapshotId === named)
  if (row) return row
  throw new CommandError(
    EXIT.NOT_FOUND,
    `no snapshot ${named} of ${sourceId} is kept: bizauth sources history ${sourceId}`,
  )
}

/** Null if the file has none of this id. A snapshot of an earlier release, and one whose file is damaged, gets its details now. */
async function detailsOf(place: DetailsPlace, row: SnapshotRow, entryId: string): Promise<EntryDetails | null> {
  const opened = readIn(await openDetailsOf(place, row), entryId)
  if (opened.fault === null) return opened.details
  const built = readIn(await buildDetailsOf(place, row, buildDetails), entryId)
  if (built.fault === null) return built.details
  const { sourceId, snapshotId } = row
  throw new CommandError(
    EXIT.NOT_CHECKED,
    `the details of ${snapshotId} cannot be read (${opened.fault}) nor built again (${built.fault}); check the disk, or import the list again: bizauth sources import ${sourceId} PATH`,
  )
}

type ReadDetails =
  | { readonly details: EntryDetails | null; readonly fault: null }
  | { readonly details: null; readonly fault: string }

function readIn({ reader, fault }: OpenedDetails, entryId: string): ReadDetails {
  if (reader === null) return { details: null, fault }
  const read = reader.read(entryId)
  reader.close()
  return read ?? { details: null, fault: null }
}

function print(input: Input, row: SnapshotRow, details: EntryDetails): ExitCode {
  const { sourceId, snapshotId, sourceVersion, retrievedAt } = row
  const title = `${sourceId} ${details.entry_id}`
  const rows = entryRows(details)
  const from = `${sourceVersion}, retrieved ${retrievedAt}, ${snapshotId}`
  if (input.on("json")) {
    const version = { version: 1, snapshot_id: snapshotId, source_version: sourceVersion, retrieved_at: retrievedAt }
    input.out(`${canonicalize({ ...version, details_version: detailsVersionOf(sourceId), entry: details })}\n`)
  } else if (input.on("html")) {
    const cells = rows.map(({ label, value }) => [html`${plainText(label)}`, html`${plainText(value, TEXT_MAX)}`])
    const page = html`<h1>${plainText(title)}</h1>
<p class="quiet">${plainText(from)}</p>
${dataTable("The entry as its publisher prints it", ["What", "Text"], cells)}`
    input.out(singleFile(plainText(title), page))
  } else {
    input.out(`${plainText(title)}\n${plainText(from)}\n\n`)
    input.out(rowsText(rows.map(({ label, value }) => [`${plainText(label)}  `, plainText(value, TEXT_MAX)])))
  }
  if (details.removed_at === undefined) return EXIT.DONE
  input.err(`${plainText(title)} left the list: the import of ${details.removed_at} no longer had it\n`)
  return EXIT.NOT_FOUND
}
