/** All that an export of records has, read on one consistent view. */
import { eq, inArray, sql } from "drizzle-orm"
import { bind, query, rows, type Unit } from "../engine/unit.ts"
import { inclusionPaths, leavesAt, readTreeHead, type TreeHead } from "../log/transparency-log.ts"
import type { ReviewCase } from "./review-cases.ts"
import { CASE_RECORDS_MAX, nextEntry, recordsAfter, recordsOfCase, type StoredRecord } from "./review-records.ts"

/** Records that one export reads. */
export const EXPORTED_MAX = 5_000

export interface ExportedRecord extends StoredRecord {
  /** The 96 bytes of its leaf. */
  readonly leaf: Uint8Array
  /** From its leaf to the root. */
  readonly path: readonly Uint8Array[]
}

export interface MadeJudgement {
  readonly recordDigest: string
  readonly suppressionId: string
  readonly partyDigest: string
  readonly sourceId: string
  readonly entryId: string
  readonly entryHash: string
  readonly createdAt: string
  readonly expiresAt: string
}

export interface ReviewFacts {
  readonly records: readonly ExportedRecord[]
  /** Records of the service. */
  readonly count: number
  readonly cases: readonly ReviewCase[]
  readonly judgements: readonly MadeJudgement[]
  readonly head: TreeHead
}

const casesOf = query((db, { reviewCase: t }, words) =>
  db
    .select()
    .from(t)
    .where(inArray(t.caseNumber, sql`(select ${words.wholeInteger} from ${words.each(bind("numbers"))})`)),
)
const judgementsOf = query((db, { reviewJudgement: t, suppression }, words) =>
  db
    .select({
      recordDigest: t.recordDigest,
      suppressionId: t.suppressionId,
      partyDigest: suppression.partyDigest,
      sourceId: suppression.sourceId,
      entryId: suppression.entryId,
      entryHash: suppression.entryHash,
      createdAt: suppression.createdAt,
      expiresAt: suppression.expiresAt,
    })
    .from(t)
    .innerJoin(suppression, eq(suppression.suppressionId, t.suppressionId))
    .where(inArray(t.caseNumber, sql`(select ${words.wholeInteger} from ${words.each(bind("numbers"))})`)),
)

/** `numbers`: of the cases; null for every record. Returns TOO_MANY if there are more than {@link EXPORTED_MAX}. */
export function* readReviews(numbers: readonly number[] | null): Unit<ReviewFacts | "TOO_MANY"> {
  const found = numbers === null ? yield* recordsAfter(0, EXPORTED_MAX + 1) : yield* recordsAbout([0, ...numbers])
  if (found.length > EXPORTED_MAX) return "TOO_MANY"
  const head = yield* readTreeHead()
  const indices = found.map(({ logIndex }) => logIndex)
  const leaves = yield* leavesAt(indices)
  const paths = yield* inclusionPaths(indices, head.size)
  const records = found.map((one, at) => ({ ...one, leaf: leaves[at] ?? new Uint8Array(0), path: paths[at] ?? [] }))
  const named = numbers ?? [...new Set(found.flatMap(({ record }) => record.case?.number ?? []))]
  const values = { numbers: JSON.stringify(named) }
  const cases = (yield* rows(casesOf, values)).sort((one, other) => one.caseNumber - other.caseNumber)
  const judgements = (yield* rows(judgementsOf, values)).sort((one, other) =>
    one.recordDigest < other.recordDigest ? -1 : 1,
  )
  return { records, count: (yield* nextEntry()).sequence - 1, cases, judgements, head }
}

/** In the order of the whole chain. */
function* recordsAbout(numbers: readonly number[]): Unit<readonly StoredRecord[]> {
  const found: StoredRecord[] = []
  for (const number of numbers) {
    for (let last = 0; found.length <= EXPORTED_MAX; ) {
      const page = yield* recordsOfCase(number, last)
      found.push(...page)
      last = page.at(-1)?.sequence ?? 0
      if (page.length < CASE_RECORDS_MAX) break
    }
  }
  return found.sort((one, other) => one.sequence - other.sequence)
}
