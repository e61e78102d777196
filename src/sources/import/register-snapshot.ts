/**
 * The folder of one publication of a register: an `svc-snapshot-1` folder, with the entries as one SQLite file next to the publisher's
 * files. It is built under a staging name and appears complete or not at all.
 */
import { mkdirSync, rmSync } from "node:fs"
import { join } from "node:path"
import { writeNewFile } from "../../base/durable-file.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { RegisterFile } from "../records/register-adapter.ts"
import type { RegisterId } from "../records/register-id.ts"
import { copyWithDigest } from "./copy-file.ts"
import type { FoundInput } from "./read-input.ts"
import {
  MANIFEST_FILE,
  type Manifest,
  publishFolder,
  REGISTER_FILE,
  STAGING_PREFIX,
  snapshotFolder,
} from "./snapshot-files.ts"

export type RegisterManifest = Omit<Manifest, "source_id"> & { readonly source_id: RegisterId }

export class Staging {
  readonly folder: string
  /** Path of the file that receives the entries. */
  readonly registerPath: string

  constructor(
    private readonly root: string,
    private readonly id: RegisterId,
    private readonly snapshotId: string,
  ) {
    this.folder = join(root, id, STAGING_PREFIX + snapshotId)
    this.registerPath = join(this.folder, REGISTER_FILE)
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
  }

  /** Stores the publisher's bytes. All later steps read only the copies, so nobody can replace a file between digest and parse. */
  keepFiles({ files }: Pick<FoundInput, "files">, onCopied: (bytes: number) => void): readonly RegisterFile[] {
    return files.map(({ path, ...facts }) => {
      const kept = join(this.folder, facts.name)
      return { ...facts, path: kept, ...copyWithDigest(path, kept, onCopied) }
    })
  }

  /** Renames the folder to its final name. Its files are already durable. */
  publish(manifest: RegisterManifest): void {
    writeNewFile(join(this.folder, MANIFEST_FILE), [`${JSON.stringify(manifest, null, 2)}\n`])
    publishFolder(this.folder, snapshotFolder(this.root, this.id, this.snapshotId))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export function registerPath(root: string, row: Pick<SnapshotRow, "sourceId" | "snapshotId">): string {
  return join(snapshotFolder(root, row.sourceId, row.snapshotId), REGISTER_FILE)
}

/** The lock of each register is in its own folder, so two registers can be imported at the same time. */
export function registerRoot(root: string, id: RegisterId): string {
  return join(root, id)
}
