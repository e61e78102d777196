import type { SnapshotRow } from "../../store/sources/sources.ts"
import type { Finding } from "../records/adapter.ts"

/** What this parser found in kept bytes, and what their import found beside the parser, as the snapshot's row holds it. */
export function findingsReadAgain({ findings }: Pick<SnapshotRow, "findings">, read: readonly Finding[]): string {
  const codes = new Set(read.map(({ code }) => code))
  const others = (JSON.parse(findings) as readonly Finding[]).filter(({ code }) => !codes.has(code))
  return JSON.stringify([...read, ...others])
}
