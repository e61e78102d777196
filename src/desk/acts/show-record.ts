import type { Case } from "../../../schemas/case.ts"
import { isRecused } from "../../core/review/register.ts"
import { recordAt, shownDocument } from "../../store/review/review-reads.ts"
import { bookOfProposal, findRecord, type StoredRecord } from "../../store/review/review-records.ts"
import type { DeskDeps } from "../deps.ts"
import { DeskRefusal } from "../desk-refusal.ts"
import { contradictedBy } from "../in-force.ts"
import { liftedBy } from "../lifted.ts"
import { recordPage } from "../pages/record-page.ts"
import { namesOf } from "../reviewer-names.ts"
import type { DeskReply, OwnVisit } from "../visit.ts"

/** Throws {@link DeskRefusal} if there is no such record. */
export async function readStored({ store }: Pick<DeskDeps, "store">, number: string): Promise<StoredRecord> {
  const found = await store.read(() => recordAt(Number(number)))
  if (found === null) throw new DeskRefusal(404, `There is no record ${number}.`)
  return found
}

/** An approver reads the bytes that the proposer signed about, and not the case as it would be made now. */
export async function showRecord({ deps, me, params: [number = ""] }: OwnVisit): Promise<DeskReply> {
  const stored = await readStored(deps, number)
  const { record, digest, judged } = stored
  const { case: about, hit } = record
  const { book, answered, document } = await deps.store.read(function* () {
    return {
      book: yield* bookOfProposal(digest),
      answered: record.answers === null ? null : yield* findRecord(record.answers),
      document: about === null ? null : yield* shownDocument(about.case_digest),
    }
  })
  const proposal = book.proposals.get(digest) ?? null
  const isOpen = proposal?.state === "OPEN"
  const names = await namesOf(deps)
  const lifted =
    isOpen && about && judged && hit ? liftedBy(deps, { product: about.product, party: judged, hit }) : null
  return {
    status: 200,
    page: recordPage({
      ...{ me, stored, proposal, answered, names, lifted },
      contradicted: contradictedBy(deps, record),
      shown: document === null ? null : (JSON.parse(document) as Case),
      isRecused: isRecused(me.register, me.reviewerId, about),
    }),
  }
}
