/** What the pages of the desk read beside cases and records. */
import { desc, eq } from "drizzle-orm"
import { bind, first, query, rows, type Unit } from "../engine/unit.ts"
import type { ReviewCase } from "./review-cases.ts"
import { readRecord, recordsAfter, type StoredRecord } from "./review-records.ts"

const documentOf = query((db, { reviewDocument: t }) =>
  db
    .select({ document: t.document })
    .from(t)
    .where(eq(t.digest, bind("digest"))),
)

/** The canonical JSON of a case as a reviewer saw it. Null if no record names it. */
export function* shownDocument(digest: string): Unit<string | null> {
  return (yield* first(documentOf, { digest }))?.document ?? null
}

/** Cases of one group that a page names. */
const GROUP_MAX = 50

const ofGroup = query((db, { reviewCase: t }) =>
  db
    .select()
    .from(t)
    .where(eq(t.groupKey, bind("groupKey")))
    .orderBy(desc(t.caseNumber))
    .limit(GROUP_MAX),
)

/** The newest cases of one payer about one party and one entry. */
export function* casesOfGroup(groupKey: string): Unit<readonly ReviewCase[]> {
  return yield* rows(ofGroup, { groupKey })
}

/** Records about reviewers that a page names. */
const REGISTER_RECORDS_MAX = 100

const newestAbout = query((db, { reviewRecord: t }) =>
  db
    .select()
    .from(t)
    .where(eq(t.caseNumber, bind("caseNumber")))
    .orderBy(desc(t.sequence))
    .limit(REGISTER_RECORDS_MAX),
)

/** The newest records about reviewers, the newest first. */
export function* newestRegisterRecords(): Unit<readonly StoredRecord[]> {
  return (yield* rows(newestAbout, { caseNumber: 0 })).map(readRecord)
}

/** By its place; null if there is none. */
export function* recordAt(sequence: number): Unit<StoredRecord | null> {
  const [found] = yield* recordsAfter(sequence - 1, 1)
  return found?.sequence === sequence ? found : null
}
