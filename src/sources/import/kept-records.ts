/** A register is kept in a file, because it has millions of entries. */
import { statSync } from "node:fs"
import { join } from "node:path"
import { adding, type LongWork, UNWATCHED } from "../../base/long-work.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { RegisterAdapter } from "../records/register-adapter.ts"
import { wholeDigest } from "./copy-file.ts"
import type { Kept } from "./kept.ts"
import { NewRecords } from "./new-records.ts"
import { removeLeftovers } from "./remove-leftovers.ts"
import { bytesNeeded } from "./room.ts"
import { type ManifestFile, REGISTER_FILE, snapshotFolder } from "./snapshot-files.ts"

export function keptRecords(adapter: RegisterAdapter): Kept {
  return {
    // The lock of each register is in its own folder, so two registers can be imported at the same time.
    lockFolder: (root) => join(root, adapter.id),
    lockName: adapter.id,
    removeLeftovers: (place) => removeLeftovers(place, adapter.id),
    // A shared database does not have the gigabytes of registers.
    receiveMissing: async () => {},
    bytesNeeded,
    begin: (begun) => new NewRecords(adapter, begun),
    faultOf: registerFault,
    activate: ({ store }, _next, _now, activate) => store.run(activate),
  }
}

/** Reads all bytes, which are gigabytes. */
async function registerFault(
  root: string,
  row: SnapshotRow,
  work: LongWork = UNWATCHED,
  what = `comparing the bytes of ${row.snapshotId}`,
): Promise<string | null> {
  const folder = snapshotFolder(root, row.sourceId, row.snapshotId)
  const raw = (JSON.parse(row.files) as readonly ManifestFile[]).map((file) => [file.name, `sha256:${file.sha256}`])
  const files = [[REGISTER_FILE, row.partiesSha256], ...raw]
  try {
    const total = files.reduce((sum, [name]) => sum + statSync(`${folder}/${name}`).size, 0)
    work.step({ what, unit: "bytes", total })
    const onRead = adding(work)
    for (const [name, recorded] of files) {
      const digest = await wholeDigest(`${folder}/${name}`, onRead)
      if (`sha256:${digest}` !== recorded) return `${name} has other bytes than recorded`
    }
    return null
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") return error.message
    throw error
  }
}
