/**
 * The folder of one publication of a register: an `svc-snapshot-1` folder, with the entries as one SQLite file beside the publisher's
 * files. It is built under a staging name and appears whole or not at all.
 */
import { mkdirSync, renameSync, rmSync } from "node:fs"
import { join } from "node:path"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { FoundInput } from "../publication/read-input.ts"
import {
  fsyncFolder,
  MANIFEST_FILE,
  type Manifest,
  REGISTER_FILE,
  STAGING_PREFIX,
  snapshotFolder,
  writeDurably,
} from "../publication/snapshot-files.ts"
import type { RegisterFile } from "../records/register-adapter.ts"
import type { RegisterId } from "../records/register-id.ts"
import { copyWithDigest } from "./copy-file.ts"

export type RegisterManifest = Omit<Manifest, "source_id"> & { readonly source_id: RegisterId }

export class Staging {
  private readonly parent: string
  readonly folder: string
  /** Where the entries are written. */
  readonly registerPath: string

  constructor(
    private readonly root: string,
    private readonly id: RegisterId,
    private readonly snapshotId: string,
  ) {
    this.parent = join(root, id)
    this.folder = join(this.parent, STAGING_PREFIX + snapshotId)
    this.registerPath = join(this.folder, REGISTER_FILE)
    mkdirSync(this.folder, { recursive: true, mode: 0o700 })
  }

  /** Keeps the publisher's bytes. Only the copies are read from here on: nobody can exchange a file between digest and reading. */
  keepFiles({ files }: FoundInput, onCopied: (bytes: number) => void): readonly RegisterFile[] {
    return files.map(({ path, ...facts }) => {
      const kept = join(this.folder, facts.name)
      return { ...facts, path: kept, ...copyWithDigest(path, kept, onCopied) }
    })
  }

  /** Gives the folder its name; the files in it are on the disk already. */
  publish(manifest: RegisterManifest): void {
    writeDurably(join(this.folder, MANIFEST_FILE), Buffer.from(`${JSON.stringify(manifest, null, 2)}\n`))
    fsyncFolder(this.folder)
    renameSync(this.folder, snapshotFolder(this.root, this.id, this.snapshotId))
    fsyncFolder(this.parent)
    fsyncFolder(this.root)
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true })
  }
}

export function registerPath(root: string, row: Pick<SnapshotRow, "sourceId" | "snapshotId">): string {
  return join(snapshotFolder(root, row.sourceId, row.snapshotId), REGISTER_FILE)
}

/** Of two registers one may be imported while the other is: the lock of each lies in its own folder. */
export function registerRoot(root: string, id: RegisterId): string {
  return join(root, id)
}
