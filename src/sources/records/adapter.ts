/**
 * The interface of every restricted-party source: a pure parse of the publisher's bytes. It does not fetch, store or read a clock. All
 * checks run and every finding is reported, even if the first one is already fatal.
 */

import type { EntryDetails } from "../../../schemas/entry-details.ts"
import type { Party, SourceId } from "./party.ts"
import type { CountedWords, WordRule } from "./publisher-words.ts"
import type { ListWindows } from "./windows.ts"

export interface SourceFile {
  /** The publisher's file name. Comparisons ignore case and folder. */
  readonly name: string
  readonly bytes: Uint8Array
  /**
   * Milliseconds since the epoch: the publisher's Last-Modified if known, otherwise the file's own time. It states when the file was
   * retrieved, never when its content was published.
   */
  readonly modifiedAt: number
  /** Source URL without any key, and the publisher's ETag for these bytes; absent if an operator brought the file. */
  readonly url?: string
  readonly etag?: string
}

export type FindingCode =
  /** The file is truncated. */
  | "TRUNCATED"
  /** Damaged inside: checksum, archive structure, XML syntax. */
  | "CORRUPT"
  | "TOO_LARGE"
  /** An error page or another format instead of the list. */
  | "NOT_DATA"
  | "MISSING_FILE"
  | "UNUSED_FILE"
  /** The files of one set come from different publications. */
  | "MIXED_PUBLICATION"
  | "SCHEMA_BREAK"
  | "UNKNOWN_COLUMN"
  | "HEADER_LINE"
  | "ENCODING"
  /** Some rows could not be read, but too few for a SCHEMA_BREAK. */
  | "ROW_FAILED"
  /** Rows with wrong quotes whose columns were still certain. */
  | "ROW_REPAIRED"
  /** Names too long to compare completely. Their entries stay, with the first part of the name. */
  | "NAME_UNSCREENABLE"
  /** Names of only legal forms and stop words, which are found only by all their letters. */
  | "NAME_NOT_DISTINCTIVE"
  /** Entries with an identifier of which nothing certain could be read. */
  | "IDENTIFIER_UNREAD"
  /** A word of the publisher that the parser relies on does not occur. */
  | "WORD_GONE"
  /** A word of the publisher that the parser does not know, or that the snapshot before does not have. */
  | "WORD_UNKNOWN"
  | "DUPLICATE_ID"
  /** Values of a closed vocabulary that this parser does not know. */
  | "UNKNOWN_WORD"
  | "SPILLOVER_MISSING"
  | "COUNT_MISMATCH"
  /** A list that this file always contains is missing. */
  | "LIST_MISSING"
  /** Fewer entries than any publication that this parser was made for. */
  | "BELOW_EXPECTED"
  /** The file format cannot prove that the file is complete: a cut exactly between two lines would not be detected. */
  | "END_UNPROVEN"
  | "SHRUNK"
  | "EXPLODED"
  | "FILL_RATE"
  | "OLDER_THAN_ACTIVE"
  /** Neither the files nor another source state the publication time. */
  | "PUBLICATION_UNKNOWN"
  /** Published longer ago than the maximum age for this source. */
  | "CONTENT_OLD"
  /** The operator accepted a finding that did not occur. */
  | "ACCEPTANCE_UNUSED"
  /** The operator stated a publication time although the files state one. */
  | "PUBLISHED_AT_UNUSED"
  | "CANARY_MISSED"
  /** The operator requires a signature by a pinned key, and there is none. */
  | "UNSIGNED"
  | "SIGNATURE_INVALID"

export interface Finding {
  readonly code: FindingCode
  /** `hard` rejects the snapshot; `soft` is shown and kept. */
  readonly severity: "hard" | "soft"
  /** For an operator: file, line and expected value. Of the content of a row only a word of the publisher's vocabulary. */
  readonly detail: string
  readonly file?: string
}

export interface Counts {
  /** Number of parties, after the rows of one entry were joined. */
  readonly entries: number
  /** Number of the publisher's records, mirrored ones included. */
  readonly rows: number
  /** Number of records of another required source. They are counted here and screened there. */
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

/** Entry ids that this source repeats from another one: independent evidence that an entry was really removed there. */
export interface Mirror {
  readonly sourceId: SourceId
  readonly entryIds: readonly string[]
}

export interface Parsed {
  /** May be empty if a hard finding exists. */
  readonly parties: readonly Party[]
  readonly counts: Counts
  /** Identifies the publication; equal bytes give equal versions. */
  readonly version: string
  /** Publication time in RFC 3339, or null if the publisher's bytes do not state one. */
  readonly timestamp: string | null
  /** Origin of `timestamp`; null if there is none. */
  readonly timestampFrom: "CONTENT" | "FILE_NAME" | null
  /** The record count the publisher states inside the file, or null. */
  readonly declaredRecords: number | null
  readonly mirrors: readonly Mirror[]
  /** The publisher's words, counted for the rules of the adapter. */
  readonly words: CountedWords
  /** Identifies the parsed bytes: a `contentKey` of the used files, unpacked; empty if they could not be read. */
  readonly content: string
  readonly findings: readonly Finding[]
}

/** A listed name that screening must find in a new index. Applies only while `entryId` is in the snapshot. */
export interface Canary {
  readonly entryId: string
  readonly name: string
}

/** Receives the details of each entry, in any order. */
export type EmitDetails = (details: EntryDetails) => void

export interface ListParser {
  /** Changes whenever the same bytes could give different parties. */
  readonly parserVersion: string
  /** Never throws for bad data. */
  parse(files: readonly SourceFile[]): Parsed
}

export interface SourceAdapter extends ListParser {
  readonly id: SourceId
  /** With `emit` it reads the details of the entries too, in the same pass over the files. */
  parse(files: readonly SourceFile[], emit?: EmitDetails): Parsed
  /** Changes whenever the same bytes could give different details. */
  readonly detailsVersion: string
  /** Reads what the publisher prints about each entry. Pure. Never throws for bad data. */
  details(files: readonly SourceFile[], emit: EmitDetails): void
  /** Only for the second screening of a stored delivery. */
  readonly earlierParsers: readonly ListParser[]
  readonly sourceUrl: string
  readonly windows: ListWindows
  /** The publisher's terms, which a snapshot states to its recipients. */
  readonly licence: string
  /** A new snapshot with a smaller share of the last one's entries is rejected. */
  readonly shrinkFloor: number
  /** The words of the publisher that the parser relies on. */
  readonly words: readonly WordRule[]
  readonly canaries: readonly Canary[]
}
