/** How the entries of a source are kept in its snapshots: the parties of a list in memory with an index, the records of a register in a file. */
import type { LongWork } from "../../base/long-work.ts"
import type { Store, Unit } from "../../store/engine/unit.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { Shared } from "../machines/shared-database.ts"
import type { Finding, SourceFile } from "../records/adapter.ts"
import type { SourceId } from "../records/party.ts"
import type { CountedWords } from "../records/publisher-words.ts"
import type { RegisterId } from "../records/register-id.ts"
import type { ContentLimit, Windows } from "../records/windows.ts"
import type { Candidate } from "./judge.ts"
import type { Input } from "./read-input.ts"
import type { Manifest } from "./snapshot-files.ts"

/** What an import needs to know of a source, whatever it keeps. */
export interface ImportedSource {
  readonly id: SourceId | RegisterId
  readonly sourceUrl: string
  readonly parserVersion: string
  readonly licence: string
  readonly windows: Windows
  /** Null if the publication time is not judged. */
  readonly content: ContentLimit | null
  /** The import takes minutes, so it is dated when it ends. Any other is dated when it begins. */
  readonly isLong: boolean
  readonly kept: Kept
}

/** A publisher's file with the digest of its bytes, under the name that the snapshot keeps. */
export interface KeptFile extends Omit<SourceFile, "bytes"> {
  /** 64 lower-case hex characters. */
  readonly sha256: string
  readonly bytes: number
}

/** What was read of a publication. */
export interface Read {
  /** Identifies the publication; equal bytes give equal versions. */
  readonly version: string
  /** Publication time that the files state, RFC 3339; or null. */
  readonly timestamp: string | null
  readonly timestampFrom: "CONTENT" | "FILE_NAME" | null
  /** Identifies the read bytes under any file names; empty if they could not be read. */
  readonly content: string
  readonly entries: number
  /** Number of rows that could not be read. */
  readonly failed: number
  readonly counts: Readonly<Record<string, number>>
  /** The publisher's words; kept with the counts, and not printed. Absent for a register. */
  readonly words?: CountedWords
  /** False if the files could not be read; then there are no entries. */
  readonly isReadable: boolean
}

export interface Begun {
  /** Absent in a thread, where there is no database. */
  readonly store?: Pick<Store, "read">
  /** Folder of all snapshots. */
  readonly root: string
  readonly snapshotId: string
  /** Milliseconds. */
  readonly now: number
  /** The active snapshot, which this one would replace. */
  readonly active: SnapshotRow | null
  readonly work: LongWork
}

/** A publication that is about to become a snapshot. Nothing of it has its final name before `publish`. The calls come in this order. */
export interface NewSnapshot {
  /** Takes the files. From here on only the taken bytes are read, so nobody can replace a file between digest and parse. */
  take(input: Pick<Input, "files" | "manifest" | "findings">): Promise<readonly KeptFile[]>
  read(): Promise<Read>
  /** `terms` is null for bytes that are not compared with the active snapshot. `actives` are the active snapshots of all sources. */
  judge(terms: Terms | null, actives: readonly SnapshotRow[]): readonly Finding[]
  /**
   * Returns the digest of the kept entries, `sha256:` and hex. Then the folder is durable under its final name. `digest` is given if another
   * thread read the entries and computed it.
   */
  publish(manifest: Manifest, digest?: string): Promise<string>
  /** Removes what is not published. */
  remove(): void
}

export type Terms = Pick<Candidate, "published" | "retrievedAt" | "accepted">

/** Of bytes that are not compared with the active snapshot. */
export const UNCOMPARED: Terms = { published: null, retrievedAt: 0, accepted: false }

export interface Place {
  readonly store: Store
  /** Folder of all snapshots. */
  readonly root: string
  /** Given if processes on several machines share the database. */
  readonly shared?: Shared | null
}

interface Watched {
  /** Given if the activation is a step of its own. */
  readonly work?: LongWork
}

export interface Kept {
  /** Folder of the lock that imports and rollbacks of this source take. */
  lockFolder(root: string): string
  /** The same lock in a shared database. */
  readonly lockName: string
  /** Removes what a killed import left. Call it only under the lock. */
  removeLeftovers(place: Place): Promise<void>
  /** Free bytes that an import of these files needs on the disk of the snapshots; 0 for any disk. */
  bytesNeeded(input: Pick<Input, "files">): number
  begin(begun: Begun): NewSnapshot
  /**
   * Takes the snapshots in use that this machine lacks from a shared database, if their bytes are there. One that cannot be taken stays missing: the
   * import then judges without it, as without a damaged one. Call it only under the lock.
   */
  receiveMissing(place: Place, actives: readonly SnapshotRow[]): Promise<void>
  /** Returns why the stored bytes of a snapshot cannot be used, or null. `what`: the words for the step of `work`. */
  faultOf(root: string, row: SnapshotRow, work?: LongWork, what?: string): Promise<string | null>
  /**
   * Makes a published snapshot the active one. Resolves to false if `activate` reports no change. Throws ImportBusy if another import removed its bytes
   * from a shared database. `now` in milliseconds.
   */
  activate(place: Place & Watched, next: SnapshotRow, now: number, activate: () => Unit<boolean>): Promise<boolean>
}
