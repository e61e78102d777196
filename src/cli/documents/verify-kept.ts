import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import type { Source } from "../../sources/import/source.ts"
import { isHere } from "../../sources/machines/receive-snapshot.ts"
import { type SnapshotRow, snapshotsOnDisk } from "../../store/sources/sources.ts"
import type { Input } from "../command.ts"
import { openData } from "../inputs.ts"

/** Checks every stored snapshot of a source against its row, so that damage is known before a replay needs the snapshot. */
export async function verifyKept(input: Input, { id, kind, kept }: Source): Promise<ExitCode> {
  const { engine, store, paths } = await openData(input)
  const { snapshots: root } = paths
  const { isShared } = engine
  const checked: Checked[] = []
  try {
    const rows = await store.read(() => snapshotsOnDisk(id))
    if (rows.length === 0) throw new CommandError(EXIT.NOT_FOUND, `no snapshot of ${id} is kept`)
    for (const row of rows) {
      if (kind === "LIST") input.progress.step({ what: `reading ${row.snapshotId}` })
      if (isShared) await kept.receiveMissing({ store, root }, [row])
      const isElsewhere = isShared && !isHere(root, row)
      const fault = isElsewhere ? NOT_HERE : await kept.faultOf(root, row, input.progress)
      checked.push({ row, fault, isElsewhere })
    }
  } finally {
    await store.close()
  }
  if (input.on("json")) input.out(`${canonicalize({ version: 1, source_id: id, snapshots: checked.map(asJson) })}\n`)
  else for (const one of checked) input.out(forPeople(one))
  if (checked.some(({ fault, isElsewhere }) => fault !== null && !isElsewhere)) return EXIT.INVALID
  return checked.some(({ isElsewhere }) => isElsewhere) ? EXIT.NOT_CHECKED : EXIT.DONE
}

/** No damage: another machine that shares the database imported it. */
const NOT_HERE = "not on this machine: verify it on the one that imported it, or import the same files here"

interface Checked {
  readonly row: SnapshotRow
  readonly fault: string | null
  /** This machine does not have its bytes, and could not take them from the database. */
  readonly isElsewhere: boolean
}

function asJson({ row, fault }: Checked) {
  const { snapshotId, state, rawSha256 } = row
  return { snapshot_id: snapshotId, state, raw_sha256: rawSha256, fault }
}

function forPeople({ row, fault, isElsewhere }: Checked): string {
  return `${fault === null ? "ok  " : isElsewhere ? "none" : "FAIL"}  ${row.snapshotId}  ${row.state.padEnd(9)}  ${row.sourceVersion}${fault === null ? "" : `: ${fault}`}\n`
}
