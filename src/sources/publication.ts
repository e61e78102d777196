/** What a snapshot or a live answer says of itself; times are RFC 3339. */
export interface Publication {
  readonly sourceUrl: string
  readonly sourceVersion: string
  readonly sourceTimestamp: string
  readonly retrievedAt: string
  readonly parserVersion: string
  readonly rawSha256: string
}

/** The same as facts and exports spell it (`schemas/publication.ts`). */
export function publicationFact(publication: Publication, staleAt: string) {
  return {
    source_url: publication.sourceUrl,
    source_version: publication.sourceVersion,
    source_timestamp: publication.sourceTimestamp,
    retrieved_at: publication.retrievedAt,
    stale_at: staleAt,
    parser_version: publication.parserVersion,
    raw_sha256: publication.rawSha256,
  }
}
