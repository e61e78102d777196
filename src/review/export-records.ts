/** Makes the signed export of records: `offline/kinds/review` verifies it. */
import type { ReviewCaseRow, ReviewEntry, ReviewExportPayload, ReviewJudgement } from "../../schemas/review.ts"
import { encodeBase64 } from "../core/bytes.ts"
import { canonicalBytes } from "../core/canonical-json.ts"
import { readLeafData } from "../core/leaf-data.ts"
import { checkpointNote, type LogKey } from "../core/sign-checkpoint.ts"
import { type Signer, signedAnswer } from "../core/signer.ts"
import type { ReviewCase } from "../store/review/review-cases.ts"
import type { ExportedRecord, MadeJudgement, ReviewFacts } from "../store/review/review-export.ts"

interface ExportTerms {
  readonly signer: Signer
  readonly logKey: LogKey
  readonly logOrigin: string
  readonly audience: string
  readonly environment: "live" | "test"
  /** RFC 3339. */
  readonly issuedAt: string
  /** Null: every record. */
  readonly numbers: readonly number[] | null
}

/** The bytes of the file. */
export function reviewExport({ records, count, cases, judgements, head }: ReviewFacts, terms: ExportTerms): Uint8Array {
  const { signer, logKey, logOrigin: origin } = terms
  const payload: ReviewExportPayload = {
    domain: "svc.review-export.v1",
    schema_version: "1.0.0",
    issuer: signer.issuer,
    audience: terms.audience,
    environment: terms.environment,
    issued_at: terms.issuedAt,
    case_numbers: terms.numbers === null ? null : [...terms.numbers],
    entry_count: count,
    entries: records.map(entryOf),
    cases: cases.map(caseRow),
    judgements: judgements.map(judgementOf),
    checkpoint: checkpointNote({ origin, size: head.size, rootHash: head.rootHash }, logKey),
  }
  return canonicalBytes(signedAnswer(signer, payload))
}

function entryOf(stored: ExportedRecord): ReviewEntry {
  const { sequence, previousEntry, record, assertion, subject, reason, logIndex, leaf, path } = stored
  const read = readLeafData(leaf)
  if (read === null) throw new Error("a leaf of the log has not the form of a leaf")
  return {
    ...{ sequence, previous_entry: previousEntry, record, assertion, subject, reason },
    place: {
      log_index: logIndex,
      map_root: encodeBase64(read.mapRoot),
      inclusion_path: path.map((hash) => encodeBase64(hash)),
    },
  }
}

function caseRow(one: ReviewCase): ReviewCaseRow {
  return {
    number: one.caseNumber,
    opened_at: one.openedAt,
    product: one.product,
    permission: one.permission,
    decision: one.decision,
    code: one.code,
    currency: one.currency,
    amount: one.amount,
    score_permille: one.scorePermille === 0 ? null : one.scorePermille,
    supplier: one.supplier,
    payer: one.payer,
    organization_id: one.organizationId,
    state: one.state,
    assignee: one.assignee,
  }
}

function judgementOf(one: MadeJudgement): ReviewJudgement {
  return {
    suppression_id: one.suppressionId,
    record_digest: one.recordDigest,
    party_digest: one.partyDigest,
    source_id: one.sourceId,
    entry_id: one.entryId,
    entry_hash: one.entryHash,
    created_at: one.createdAt,
    expires_at: one.expiresAt,
  }
}
