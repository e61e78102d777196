import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { Source } from "../../sources/import/source.ts"
import { type SnapshotRow, snapshotsOnDisk } from "../../store/sources/sources.ts"
import type { Input } from "../command.ts"
import { openData } from "../inputs.ts"

/** Checks every stored snapshot of a source against its row, so that damage is known before a replay needs the snapshot. */
export async function verifyKept(input: Input, { id, kind, kept }: Source): Promise<ExitCode> {
  const { store, paths } = await openData(input)
  const rows = await store.read(() => snapshotsOnDisk(id)).finally(() => store.close())
  if (rows.length === 0) throw new CommandError(EXIT.NOT_FOUND, `no snapshot of ${id} is kept`)
  const checked: Checked[] = []
  for (const row of rows) {
    if (kind === "LIST") input.progress.step({ what: `reading ${row.snapshotId}` })
    checked.push({ row, fault: await kept.faultOf(paths.snapshots, row, input.progress) })
  }
  if (input.on("json")) input.out(`${canonicalize({ version: 1, source_id: id, snapshots: checked.map(asJson) })}\n`)
  else for (const one of checked) input.out(forPeople(one))
  return checked.some(({ fault }) => fault !== null) ? EXIT.INVALID : EXIT.DONE
}

interface Checked {
  readonly row: SnapshotRow
  readonly fault: string | null
}

function asJson({ row, fault }: Checked) {
  const { snapshotId, state, rawSha256 } = row
  return { snapshot_id: snapshotId, state, raw_sha256: rawSha256, fault }
}

function forPeople({ row, fault }: Checked): string {
  return `${fault === null ? "ok  " : "FAIL"}  ${row.snapshotId}  ${row.state.padEnd(9)}  ${row.sourceVersion}${fault === null ? "" : `: ${fault}`}\n`
}
