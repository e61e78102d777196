/**
 * The interface of every bulk register: a streaming parse of the publisher's files. A register has millions of entries, so no publication
 * is held in memory: files are read from their path, and entries are emitted one at a time.
 */

import type { Finding } from "./adapter.ts"
import type { RegisterId } from "./register-id.ts"
import type { ContentLimit, Windows } from "./windows.ts"

/** A JSON value that can be stored and read back unchanged. */
export type RecordValue =
  | string
  | number
  | boolean
  | null
  | readonly RecordValue[]
  | { readonly [name: string]: RecordValue }

export interface RegisterEntry {
  /** Canonical form: company number of 8 characters, UEI, LEI, CIK of 10 digits. Unique in a publication. */
  readonly key: string
  /** Other keys in canonical form, e.g. `{ scheme: "cage", value: "1ABC2" }`. Several entries may have the same one. */
  readonly otherKeys: readonly { readonly scheme: string; readonly value: string }[]
  readonly name: string
  /** The source's normalised record. It is small: only members that a decision may read. */
  readonly record: RecordValue
}

export interface RegisterFile {
  /** The publisher's file name. */
  readonly name: string
  /** Path of the stored copy, so that the parsed bytes are those that evidence names. */
  readonly path: string
  readonly bytes: number
  /** 64 lower-case hex characters. */
  readonly sha256: string
  /** Milliseconds: the publisher's Last-Modified if known, otherwise the file's own time. */
  readonly modifiedAt: number
  /** Source URL without any key, and the publisher's ETag for these bytes; absent if an operator brought the file. */
  readonly url?: string
  readonly etag?: string
}

export interface RegisterReading {
  /** Identifies the publication; equal bytes under equal names give equal versions. */
  readonly version: string
  /** Publication time in RFC 3339, or null if neither bytes nor file names state one. */
  readonly timestamp: string | null
  /** Origin of `timestamp`; default CONTENT. */
  readonly timestampFrom?: "CONTENT" | "FILE_NAME"
  /** The record count the publisher states inside the files, or null. */
  readonly declaredRecords: number | null
  /** Number of the publisher's rows, unreadable ones included. */
  readonly rows: number
  /** Number of rows that could not be read and were not emitted. */
  readonly failed: number
  /** Named counts, which the import compares with those of the snapshot before. */
  readonly counts: Readonly<Record<string, number>>
  readonly findings: readonly Finding[]
}

export interface RegisterAdapter {
  readonly id: RegisterId
  /** Changes whenever the same bytes could give different entries. The major number changes if older records could be misread. */
  readonly parserVersion: string
  readonly sourceUrl: string
  /** Scheme of {@link RegisterEntry.key}: `number`, `uei`, `lei` or `cik`. */
  readonly keyScheme: string
  readonly windows: Windows
  /** The publisher's terms, which a snapshot states to its recipients. */
  readonly licence: string
  /** Maximum age of the content; absent if the publication time is not judged. */
  readonly content?: ContentLimit
  /** A new snapshot with a smaller share of the last one's entries is rejected. */
  readonly shrinkFloor: number
  /** Returns the stored form of a key, or null for an invalid key. Called before every look-up. */
  canonicalKey(scheme: string, value: string): string | null
  /** Never throws for bad data; it returns findings. `progress` receives the bytes read of all files from time to time. */
  read(
    files: readonly RegisterFile[],
    emit: (entry: RegisterEntry) => void,
    progress: (rows: number, bytes: number) => void,
  ): Promise<RegisterReading>
}
