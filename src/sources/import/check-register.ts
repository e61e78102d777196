import { statSync } from "node:fs"
import { adding, type LongWork, UNWATCHED } from "../../base/long-work.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import { wholeDigest } from "./copy-file.ts"
import { type ManifestFile, REGISTER_FILE, snapshotFolder } from "./snapshot-files.ts"

/** Returns why the stored bytes of a register differ from its row, or null. Reads all bytes, which are gigabytes. */
export async function registerFault(
  root: string,
  row: SnapshotRow,
  work: LongWork = UNWATCHED,
): Promise<string | null> {
  const folder = snapshotFolder(root, row.sourceId, row.snapshotId)
  const raw = (JSON.parse(row.files) as readonly ManifestFile[]).map((file) => [file.name, `sha256:${file.sha256}`])
  const files = [[REGISTER_FILE, row.partiesSha256], ...raw]
  try {
    const total = files.reduce((sum, [name]) => sum + statSync(`${folder}/${name}`).size, 0)
    work.step({ what: `comparing the bytes of ${row.snapshotId}`, unit: "bytes", total })
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
