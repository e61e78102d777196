/**
 * What every bulk register gives: a streaming reading of the publisher's files. A register has millions of entries, so nothing
 * here holds a publication in memory: files are read from their path and entries are handed out one at a time.
 */

import type { ContentLimit, Windows } from "../lists/windows.ts"
import type { Finding } from "./adapter.ts"
import type { RegisterId } from "./register-id.ts"

/** A JSON value that may be stored and read back as the same value. */
export type RecordValue =
  | string
  | number
  | boolean
  | null
  | readonly RecordValue[]
  | { readonly [name: string]: RecordValue }

export interface RegisterEntry {
  /** Canonical: company number of 8 characters, UEI, LEI, CIK of 10 digits. Unique in a publication. */
  readonly key: string
  /** Further keys in canonical form, e.g. `{ scheme: "cage", value: "1ABC2" }`. Several entries may carry the same one. */
  readonly otherKeys: readonly { readonly scheme: string; readonly value: string }[]
  readonly name: string
  /** The source's own normalised record, small: what a decision may ever ask. */
  readonly record: RecordValue
}

export interface RegisterFile {
  /** The publisher's file name. */
  readonly name: string
  /** Where its bytes are: the copy that is kept, so what is read is what evidence names. */
  readonly path: string
  readonly bytes: number
  /** 64 lower-case hex characters. */
  readonly sha256: string
  /** Milliseconds: the publisher's Last-Modified where it is known, else the file's own time. */
  readonly modifiedAt: number
  /** Where it was fetched from, without any key, and the publisher's tag for these bytes; absent where an operator brought the file. */
  readonly url?: string
  readonly etag?: string
}

export interface RegisterReading {
  /** Says which publication this is; equal bytes under equal names give equal versions. */
  readonly version: string
  /** Publication time in RFC 3339, or null when neither bytes nor file names state one. */
  readonly timestamp: string | null
  /** Where `timestamp` was read; CONTENT unless given. */
  readonly timestampFrom?: "CONTENT" | "FILE_NAME"
  /** The record count the publisher states inside the files, or null. */
  readonly declaredRecords: number | null
  /** The publisher's rows, unreadable ones included. */
  readonly rows: number
  /** Rows that could not be read; they were not emitted. */
  readonly failed: number
  /** Any number of named counts, compared with those of the snapshot before. */
  readonly counts: Readonly<Record<string, number>>
  readonly findings: readonly Finding[]
}

export interface RegisterAdapter {
  readonly id: RegisterId
  /** Changes whenever the same bytes could give other entries; its major number when records of before could be misread. */
  readonly parserVersion: string
  readonly sourceUrl: string
  /** Scheme of {@link RegisterEntry.key}: `number`, `uei`, `lei` or `cik`. */
  readonly keyScheme: string
  readonly windows: Windows
  /** How old its content may be; absent where its publication time is not judged. */
  readonly content?: ContentLimit
  /** A new snapshot with fewer than this share of the last one's entries is refused. */
  readonly shrinkFloor: number
  /** The form a key or further key is stored in, or null for a text that can be none: asked before every look-up. */
  canonicalKey(scheme: string, value: string): string | null
  /** Never throws for bad data: findings. `progress` is told bytes read of all files together, now and then. */
  read(
    files: readonly RegisterFile[],
    emit: (entry: RegisterEntry) => void,
    progress: (rows: number, bytes: number) => void,
  ): Promise<RegisterReading>
}
