/** The place of each record: the count of all records, the chain of its case or of reviewers, and the documents that it names by digest. */
import type { ReviewEntry, ReviewExportPayload } from "../../../../schemas/review.ts"
import type { DocumentCrypto } from "../../../core/crypto/document-crypto.ts"
import { entryDigest } from "../../../core/review/review-chain.ts"

type Payload = Pick<ReviewExportPayload, "entries" | "entry_count" | "case_numbers" | "audience" | "environment">

/** What is wrong with the first record that is not in its place. Null if all are. */
export function chainFault(payload: Payload, crypto: DocumentCrypto): string | null {
  const { entries, entry_count: count, case_numbers: numbers } = payload
  const newest = new Map<number, string>()
  const nonces = new Set<string>()
  let before = null as { readonly sequence: number; readonly digest: string } | null
  for (const entry of entries) {
    const { sequence, record, previous_entry } = entry
    const at = `record ${sequence}`
    const chain = record.case?.number ?? 0
    const follows: number = before === null ? 1 : before.sequence + 1
    if (before !== null && sequence <= before.sequence) return `${at} comes after record ${before.sequence}`
    if (numbers === null && sequence !== follows) return `record ${follows} is missing before ${at}`
    if (chain !== 0 && numbers !== null && !numbers.includes(chain))
      return `${at} is about a case that the export leaves out`
    if (sequence === follows && previous_entry !== (before?.digest ?? null))
      return `${at} does not follow record ${sequence - 1}`
    if (record.previous !== (newest.get(chain) ?? null)) {
      const about = chain === 0 ? "reviewers" : `case ${chain}`
      return `${at} does not follow the record before it about ${about}: one is missing, changed or added`
    }
    if (nonces.has(record.nonce)) return `${at} repeats an earlier nonce`
    nonces.add(record.nonce)
    const fault = ownFault(entry, payload, crypto)
    if (fault !== null) return `${at} ${fault}`
    const digest = crypto.digestOf(record)
    newest.set(chain, digest)
    before = { sequence, digest: entryDigest({ sequence, record_digest: digest, previous_entry }, crypto) }
  }
  if (numbers === null && entries.length !== count) return `${count} records are stated, and ${entries.length} are here`
  return null
}

/** What the record says of itself and of its documents. */
function ownFault(
  { record, subject, reason }: ReviewEntry,
  { audience, environment }: Payload,
  { digestOf }: DocumentCrypto,
): string | null {
  if (record.audience !== audience || record.environment !== environment) return "is of another service"
  if ((record.subject_digest === null) !== (subject === null) && record.answers === null) return "lacks its subject"
  if (subject !== null && digestOf(subject) !== record.subject_digest) return "names another subject"
  if (reason !== null) return digestOf(reason) === record.reason_digest ? null : "names another reason"
  return record.reason_digest === null || record.kind === "NOTE" ? null : "lacks its reason, which is never redacted"
}
