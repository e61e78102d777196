/** When a publication was published, and the origin of that time. A file time, an archive and a mirror's header never state it. */
import { formatInstant, instant } from "../../core/time.ts"
import type { KnownBytes } from "../../store/sources/source-acceptances.ts"
import type { PublishedFrom } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"
import { soft } from "../records/findings.ts"

export interface PublicationTime {
  /** RFC 3339. */
  readonly at: string
  readonly from: PublishedFrom
}

/** Times from the publisher's own host, if it sent the files in this round. */
export interface FromPublisher {
  /** Milliseconds: the oldest Last-Modified of the files; null if a file had none. */
  readonly lastModified: number | null
}

interface PublicationSources {
  /** Times that the parser found in the files. */
  readonly read: { readonly timestamp: string | null; readonly timestampFrom: "CONTENT" | "FILE_NAME" | null }
  /** Null if an operator or a mirror brought the files. */
  readonly fromPublisher: FromPublisher | null
  /** From a manifest that a pinned key signed. The times of an unsigned manifest are not trusted. */
  readonly vouched: PublicationTime | null
  /** From earlier imports of the same bytes. */
  readonly known: KnownBytes["published"]
  /** Milliseconds: `--published-at`. */
  readonly stated: number | null
}

/** Returns the first time that one of these sources gives. The operator's statement is used only if no better source exists. */
export function publicationTime(sources: PublicationSources): {
  readonly time: PublicationTime | null
  readonly findings: readonly Finding[]
} {
  const { stated } = sources
  const found = better(sources)
  if (stated === null) return { time: found ?? sources.known, findings: [] }
  if (found === null) return { time: { at: formatInstant(stated), from: "STATED" }, findings: [] }
  const differs = instant(found.at) !== stated
  return {
    time: found,
    findings: differs
      ? [soft("PUBLISHED_AT_UNUSED", `published ${found.at} (${found.from}); --published-at is not used`)]
      : [],
  }
}

function timeInFiles({ timestamp, timestampFrom }: PublicationSources["read"]): PublicationTime | null {
  return timestamp === null ? null : { at: timestamp, from: timestampFrom ?? "CONTENT" }
}

/** A copy with a later day in its file name is not a later publication. Only the publisher's own host can give the same bytes a new day. */
function isRenamed(
  inFiles: PublicationTime,
  fromPublisher: FromPublisher | null,
  known: KnownBytes["published"],
): known is PublicationTime {
  if (inFiles.from !== "FILE_NAME" || fromPublisher !== null || known === null) return false
  return known.from !== "STATED" && instant(known.at) < instant(inFiles.at)
}

function better({ read, fromPublisher, vouched, known }: PublicationSources): PublicationTime | null {
  const inFiles = timeInFiles(read)
  if (inFiles !== null && isRenamed(inFiles, fromPublisher, known)) return known
  if (inFiles !== null) return inFiles
  const modified = fromPublisher?.lastModified ?? null
  if (modified !== null) return { at: formatInstant(modified), from: "LAST_MODIFIED" }
  if (vouched !== null) return vouched
  // The operator may correct an earlier statement.
  return known?.from === "STATED" ? null : known
}
