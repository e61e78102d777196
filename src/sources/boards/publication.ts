import type { PublishedFrom, SourceLimitation } from "../../../schemas/publication.ts"
import type { Finding } from "../records/adapter.ts"

/** The publication data of a snapshot or a live answer; times are RFC 3339. */
export interface Publication {
  readonly sourceUrl: string
  readonly sourceVersion: string
  /** Publication time; if unknown, the retrieval time. */
  readonly sourceTimestamp: string
  readonly retrievedAt: string
  readonly parserVersion: string
  readonly rawSha256: string
  /**
   * When the publisher published it; null if unknown or not judged. The members from here on are absent for a live answer, which is
   * requested on demand.
   */
  readonly publishedAt?: string | null
  readonly publishedFrom?: PublishedFrom | null
  /** When the publisher's own host last sent or confirmed it. */
  readonly confirmedAt?: string | null
  /** Limitations that every answer that uses the snapshot must state. */
  readonly limitations?: readonly SourceLimitation[]
  /** Import findings that did not reject the snapshot. */
  readonly findings?: readonly Pick<Finding, "code">[]
}

/** The same data as facts and exports spell it (`schemas/publication.ts`). */
export function publicationFact(publication: Publication, staleAt: string) {
  return {
    source_url: publication.sourceUrl,
    source_version: publication.sourceVersion,
    source_timestamp: publication.sourceTimestamp,
    retrieved_at: publication.retrievedAt,
    stale_at: staleAt,
    parser_version: publication.parserVersion,
    raw_sha256: publication.rawSha256,
    ...provenanceFact(publication),
  }
}

/** Omits empty members, because facts of earlier releases have none of them. */
export function provenanceFact({
  publishedAt = null,
  publishedFrom = null,
  confirmedAt = null,
  limitations = [],
  findings = [],
}: Pick<Publication, "publishedAt" | "publishedFrom" | "confirmedAt" | "limitations" | "findings">) {
  return {
    ...(publishedAt !== null && publishedFrom !== null
      ? { published_at: publishedAt, published_from: publishedFrom }
      : {}),
    ...(confirmedAt === null ? {} : { confirmed_at: confirmedAt }),
    ...(limitations.length === 0 ? {} : { limitations: [...limitations] }),
    ...(findings.length === 0 ? {} : { import_findings: [...new Set(findings.map(({ code }) => code))] }),
  }
}
