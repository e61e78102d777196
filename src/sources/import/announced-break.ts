import { instant } from "../../core/time.ts"
import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"

/**
 * Findings of damaged files. A damaged file also has unreadable rows, but it only proves an incomplete download, not a change of the
 * publisher's schema. The same holds for unsigned files where the operator requires a signature: unsigned files must not mark a source as
 * broken.
 */
const DAMAGE: ReadonlySet<string> = new Set([
  ...["TRUNCATED", "CORRUPT", "NOT_DATA", "MISSING_FILE", "TOO_LARGE"],
  ...["UNSIGNED", "SIGNATURE_INVALID"],
])

/**
 * Returns the publication that these bytes announce, if they are intact but cannot be read. Returns null if they announce none that is
 * newer than the active one. `published` is the time stated in the bytes, or null if only the file time is known.
 */
export function announcedBreak(
  findings: readonly Finding[],
  { timestamp }: { readonly timestamp: string | null },
  { files }: { readonly files: readonly { readonly modifiedAt: number }[] },
  active: SnapshotRow | null,
): { readonly published: string | null } | null {
  const codes = new Set(findings.filter(({ severity }) => severity === "hard").map(({ code }) => code))
  if (!active || !codes.has("SCHEMA_BREAK") || [...codes].some((code) => DAMAGE.has(code))) return null
  if (timestamp !== null && active.sourceTimestamp !== null) {
    return instant(timestamp) > instant(active.sourceTimestamp) ? { published: timestamp } : null
  }
  const newest = Math.max(...files.map(({ modifiedAt }) => modifiedAt))
  return newest > instant(active.retrievedAt) ? { published: null } : null
}
