import type { SnapshotRow } from "../../store/sources/sources.ts"
import { type ManifestFile, REGISTER_FILE, snapshotFolder } from "../publication/snapshot-files.ts"
import { fileDigest } from "./copy-file.ts"

/** Returns why the stored bytes of a register differ from its row, or null. Reads all bytes, which are gigabytes. */
export async function registerFault(root: string, row: SnapshotRow): Promise<string | null> {
  const folder = snapshotFolder(root, row.sourceId, row.snapshotId)
  const raw = (JSON.parse(row.files) as readonly ManifestFile[]).map((file) => [file.name, `sha256:${file.sha256}`])
  try {
    for (const [name, recorded] of [[REGISTER_FILE, row.partiesSha256], ...raw]) {
      const digest = await fileDigest(`${folder}/${name}`, async () => true)
      if (`sha256:${digest}` !== recorded) return `${name} has other bytes than recorded`
    }
    return null
  } catch (error) {
    if (error instanceof Error && "code" in error && typeof error.code === "string") return error.message
    throw error
  }
}
