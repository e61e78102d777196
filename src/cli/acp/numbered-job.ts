/** Finds a job by the number that people know, or by the id of its row. */
import { CommandError, EXIT } from "../../base/exit.ts"
import type { Store } from "../../store/engine/unit.ts"
import { findJob, type Job, jobsOfNumber } from "../../store/jobs/jobs.ts"

/** Throws CommandError: 5 without such a job, 2 if several contracts have the number. */
export async function findNumberedJob(store: Store, given: string): Promise<Job> {
  const found = /^[1-9][0-9]{0,77}$/.test(given)
    ? await store.read(() => jobsOfNumber(given))
    : [await store.read(() => findJob(given))].filter((job) => job !== null)
  const [job, other] = found
  if (job === undefined) throw new CommandError(EXIT.NOT_FOUND, `no job ${given}; bizauth acp jobs lists them`)
  if (other) {
    const ids = found.map(({ id, contract }) => `${id} (${contract})`).join(", ")
    throw new CommandError(EXIT.USAGE, `several contracts have a job ${given}; name one of ${ids}`)
  }
  return job
}
