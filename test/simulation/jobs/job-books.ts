/** The rows of all jobs as they are committed. */
import type { Change, DeliverableRow, JobFactRow, JobRow, JobTransactionRow } from "../database/changes.ts"

export class JobBooks {
  readonly jobs = new Map<string, JobRow>()
  private readonly byNumber = new Map<string, string>()
  private readonly byRequest = new Map<string, Set<string>>()
  readonly deliverables = new Map<string, DeliverableRow>()
  readonly transactions = new Map<string, JobTransactionRow>()
  /** In the order of storage. */
  readonly facts = new Map<string, JobFactRow[]>()

  apply({ table, after }: Change): void {
    if (after === null) return
    switch (table) {
      case "acp_job":
        this.jobs.set(after.id, after)
        if (after.replacedAt === null) this.byNumber.set(after.jobId, after.id)
        if (after.requestId !== null) {
          const known = this.byRequest.get(after.requestId) ?? new Set()
          this.byRequest.set(after.requestId, known.add(after.id))
        }
        break
      case "acp_deliverable":
        this.deliverables.set(after.job, after)
        break
      case "acp_transaction":
        this.transactions.set(after.txHash, after)
        break
      case "acp_fact":
        this.facts.set(after.job, [...(this.facts.get(after.job) ?? []), after])
    }
  }

  /** `jobId` in decimal digits. */
  ofNumber(jobId: string): JobRow | null {
    return this.jobs.get(this.byNumber.get(jobId) ?? "") ?? null
  }

  /** Jobs whose frozen requirement holds the request. */
  ofRequest(requestId: string): JobRow[] {
    return [...(this.byRequest.get(requestId) ?? [])].flatMap((id) => this.jobs.get(id) ?? [])
  }
}
