import { EXIT } from "../../base/exit.ts"
import { JOBS_PAGE, type Job, jobsBefore } from "../../store/jobs/jobs.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { findNumberedJob } from "./numbered-job.ts"

export const command: Command = {
  name: "acp jobs",
  summary: `list on-chain jobs, newest first, ${JOBS_PAGE} at a time`,
  operands: "",
  flags: {
    ...DATA_FLAG,
    ...JSON_FLAG,
    after: { help: "continue after this job: its number on the chain, or the id of its row", value: "ID" },
  },
  examples: ["acp jobs --data ./data"],
  async run(input) {
    const { store } = await openData(input)
    try {
      const after = input.text("after")
      const place = after === undefined ? null : await findNumberedJob(store, after)
      const jobs = await store.read(() => jobsBefore(place))
      if (input.on("json")) input.out(`${JSON.stringify({ version: 1, jobs: jobs.map(jobLine) })}\n`)
      else if (jobs.length === 0) input.out("no job\n")
      else for (const job of jobs) input.out(forPeople(job))
    } finally {
      await store.close()
    }
    return EXIT.DONE
  },
}

/** What is shown of a job. The request is not: it is the buyer's. */
export function jobLine(job: Job) {
  return {
    id: job.id,
    chain_id: job.chainId,
    escrow_contract: job.contract,
    on_chain_job_id: job.jobId,
    client_address: job.client,
    state: job.state,
    reason: job.reason,
    expires_at: new Date(job.expiredAt * 1000).toISOString(),
    request_id: job.requestId,
    next_look: job.lookAt,
    found_at: job.createdAt,
    changed_at: job.updatedAt,
  }
}

function forPeople({ jobId, state, reason, client, createdAt }: Job): string {
  return `${createdAt}  job ${jobId}  ${state}${reason === null ? "" : ` (${reason})`}  client ${client}\n`
}
