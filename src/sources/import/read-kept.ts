/** Reads the kept bytes of a snapshot again. No database: for a register it runs in a thread. */
import { digestFiles } from "../../core/digest.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"
import { isRefused } from "./judge.ts"
import type { NewSnapshot, Read } from "./kept.ts"
import { keptPaths } from "./kept-files.ts"
import { snapshotFolder } from "./snapshot-files.ts"

/** Kept bytes, and their digest as recorded. */
export interface KeptBytes {
  readonly sourceId: string
  /** Folder of all snapshots. */
  readonly root: string
  readonly before: Pick<SnapshotRow, "snapshotId" | "rawSha256">
}

export type ReadAgain =
  | { readonly fault: string }
  | {
      readonly fault: null
      readonly read: Read
      readonly findings: readonly Finding[]
      /** Of the kept entries, `sha256:` and hex; absent if `publish` computes it. */
      readonly digest?: string
    }

/** Reads kept bytes into a snapshot that is not published. No database: it may run in a thread. */
export async function readKept(snapshot: NewSnapshot, { sourceId, root, before }: KeptBytes): Promise<ReadAgain> {
  const kept = keptPaths(snapshotFolder(root, sourceId, before.snapshotId), sourceId)
  const files = await snapshot.take({ files: kept, manifest: null, findings: [] })
  if (digestFiles(files) !== before.rawSha256) return { fault: "the kept files have other bytes than recorded" }
  const read = await snapshot.read()
  const findings = snapshot.judge(null, [])
  return isRefused(findings) ? { fault: findings.map(({ code }) => code).join(", ") } : { fault: null, read, findings }
}
