import type { Job } from "../store/jobs/jobs.ts"

/** Blocks that a reorganization may put the events of a job lower: ten minutes of Base. */
const REPLACED_BLOCKS = 300n

/** The first block in which an event of the job may be. */
export function firstBlockOf({ createdBlock }: Pick<Job, "createdBlock">): bigint {
  const found = BigInt(createdBlock)
  return found > REPLACED_BLOCKS ? found - REPLACED_BLOCKS : 0n
}
