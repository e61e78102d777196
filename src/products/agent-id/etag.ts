/** If-None-Match against our one strong ETag (RFC 9110 13.1.2: weak comparison, so `W/` does not matter; `*` matches). */
export function etagMatches(ifNoneMatch: string | null, etag: string): boolean {
  if (ifNoneMatch === null) return false
  return ifNoneMatch
    .split(",")
    .map((candidate) => candidate.trim().replace(/^W\//, ""))
    .some((candidate) => candidate === "*" || candidate === etag)
}
