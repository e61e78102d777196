/**
 * What every restricted-party source gives: a pure reading of the publisher's bytes. Nothing here fetches, stores or
 * reads a clock. All checks run and every finding is reported, also when the first one is already fatal.
 */

import type { ListWindows } from "../lists/windows.ts"
import type { Party, SourceId } from "./party.ts"

export interface SourceFile {
  /** The publisher's file name; compared without regard to case or folder. */
  readonly name: string
  readonly bytes: Uint8Array
  /**
   * Milliseconds since the epoch: the publisher's Last-Modified where it is known, else the file's own time. It says when the file was
   * retrieved, never when its content was published.
   */
  readonly modifiedAt: number
  /** Where it was fetched from, without any key, and the publisher's tag for these bytes; absent where an operator brought the file. */
  readonly url?: string
  readonly etag?: string
}

export type FindingCode =
  /** The file ends before its end. */
  | "TRUNCATED"
  /** Damaged inside: checksum, archive structure, XML syntax. */
  | "CORRUPT"
  | "TOO_LARGE"
  /** An error page or another format in place of the list. */
  | "NOT_DATA"
  | "MISSING_FILE"
  | "UNUSED_FILE"
  /** The files of one set come from different publications. */
  | "MIXED_PUBLICATION"
  | "SCHEMA_BREAK"
  | "UNKNOWN_COLUMN"
  | "HEADER_LINE"
  | "ENCODING"
  /** Rows that could not be read, but fewer than make a SCHEMA_BREAK. */
  | "ROW_FAILED"
  /** Rows the publisher quoted wrongly and whose columns were nevertheless certain. */
  | "ROW_REPAIRED"
  /** Names too long to be compared whole: their entries stay, with the first part of the name. */
  | "NAME_UNSCREENABLE"
  | "DUPLICATE_ID"
  /** Words of a closed vocabulary that this parser does not know. */
  | "UNKNOWN_WORD"
  | "SPILLOVER_MISSING"
  | "COUNT_MISMATCH"
  /** A whole list that this file always carries is absent. */
  | "LIST_MISSING"
  /** Fewer entries than any publication this parser was made for. */
  | "BELOW_EXPECTED"
  /** The form of the file cannot prove that it is whole: a cut exactly between two lines would not be seen. */
  | "END_UNPROVEN"
  | "SHRUNK"
  | "EXPLODED"
  | "FILL_RATE"
  | "OLDER_THAN_ACTIVE"
  /** Neither the files nor anyone else says when they were published. */
  | "PUBLICATION_UNKNOWN"
  /** Published longer ago than a list of this source may be used for. */
  | "CONTENT_OLD"
  /** The operator accepted what needed no acceptance. */
  | "ACCEPTANCE_UNUSED"
  /** The operator stated a publication time although the files state one. */
  | "PUBLISHED_AT_UNUSED"
  | "CANARY_MISSED"
  /** No signature by a pinned key where the operator asks for one. */
  | "UNSIGNED"
  | "SIGNATURE_INVALID"

export interface Finding {
  readonly code: FindingCode
  /** `hard` refuses the snapshot; `soft` is shown and kept. */
  readonly severity: "hard" | "soft"
  /** For an operator: file, line and what was expected. Never a row's content. */
  readonly detail: string
  readonly file?: string
}

export interface Counts {
  /** Parties, after rows of one entry were joined. */
  readonly entries: number
  /** The publisher's records, mirrored ones included. */
  readonly rows: number
  /** Records of another required source, counted here and screened there. */
  readonly mirrored: number
  readonly aliases: number
  readonly addresses: number
  readonly identifiers: number
  readonly persons: number
  readonly orgs: number
  readonly vessels: number
  readonly aircraft: number
  readonly unknown: number
  readonly withBirthDate: number
  readonly withCountry: number
  readonly withProgram: number
  readonly withIdentifier: number
}

/** Entry ids that this source repeats from another one: an independent witness that an entry was really removed there. */
export interface Mirror {
  readonly sourceId: SourceId
  readonly entryIds: readonly string[]
}

export interface Parsed {
  /** May be empty when a hard finding exists. */
  readonly parties: readonly Party[]
  readonly counts: Counts
  /** Says which publication this is; equal bytes give equal versions. */
  readonly version: string
  /** Publication time in RFC 3339, or null when the publisher's bytes do not state one. */
  readonly timestamp: string | null
  /** Where `timestamp` was read; null where there is none. */
  readonly timestampFrom: "CONTENT" | "FILE_NAME" | null
  /** The record count the publisher states inside the file, or null. */
  readonly declaredRecords: number | null
  readonly mirrors: readonly Mirror[]
  /** What the parties were read from: a `contentKey` of the files that were used, unpacked; empty where they could not be read. */
  readonly content: string
  readonly findings: readonly Finding[]
}

/** A listed name that screening must find after the index was built. Applies only while `entryId` is in the snapshot. */
export interface Canary {
  readonly entryId: string
  readonly name: string
}

export interface SourceAdapter {
  readonly id: SourceId
  /** Changes whenever the same bytes could give other parties. */
  readonly parserVersion: string
  readonly sourceUrl: string
  readonly windows: ListWindows
  /** A new snapshot with fewer than this share of the last one's entries is refused. */
  readonly shrinkFloor: number
  readonly canaries: readonly Canary[]
  /** Never throws for bad data. */
  parse(files: readonly SourceFile[]): Parsed
}
