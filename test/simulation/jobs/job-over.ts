/** Whether the contract's state shows that a job is over. */
import { ESCROW_STATUS, type ModelJob } from "../../sandbox/chain/parts/escrow-state.ts"
import type { JobRow } from "../database/changes.ts"
import { PRICE } from "./job-terms.ts"

export function isEnded({ status }: ModelJob): boolean {
  return status === ESCROW_STATUS.rejected || status === ESCROW_STATUS.expired
}

/** The job cannot be paid any more. */
export function isOver(found: ModelJob, now: number, { client, expiredAt }: JobRow): boolean {
  if (found.client !== client || Number(found.expiredAt) !== expiredAt || isEnded(found)) return true
  return now >= expiredAt && (found.status === ESCROW_STATUS.open || found.budget !== PRICE)
}
