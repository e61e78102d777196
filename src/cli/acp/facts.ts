import { EXIT } from "../../base/exit.ts"
import { type FactRow, jobFacts } from "../../store/jobs/job-facts.ts"
import { type Command, DATA_FLAG, JSON_FLAG } from "../command.ts"
import { openData } from "../inputs.ts"
import { findNumberedJob } from "./numbered-job.ts"

export const command: Command = {
  name: "acp facts",
  summary: "what the chain showed of one job: funding, submission, completion, payout and refund are separate facts",
  operands: "ID",
  flags: { ...DATA_FLAG, ...JSON_FLAG },
  examples: ["acp facts 7 --data ./data"],
  async run(input) {
    const { store } = await openData(input)
    try {
      const job = await findNumberedJob(store, input.operands[0] ?? "")
      const facts = await store.read(() => jobFacts(job.id))
      if (input.on("json")) {
        input.out(`${JSON.stringify({ version: 1, on_chain_job_id: job.jobId, facts: facts.map(factLine) })}\n`)
      } else if (facts.length === 0) input.out("no fact: the chain showed no funding and no end of this job\n")
      else for (const fact of facts) input.out(forPeople(fact))
    } finally {
      await store.close()
    }
    return EXIT.DONE
  },
}

function factLine(fact: FactRow) {
  return {
    fact: fact.fact,
    level: fact.level,
    transaction: fact.txHash,
    log_index: fact.logIndex,
    block_number: fact.blockNumber,
    block_hash: fact.blockHash,
    token: fact.token,
    from: fact.fromAddress,
    to: fact.toAddress,
    amount_atomic: fact.amountAtomic,
    deliverable_hash: fact.deliverableHash,
    observed_at: fact.observedAt,
  }
}

function forPeople({ fact, level, amountAtomic, toAddress, txHash, observedAt }: FactRow): string {
  const money = amountAtomic === null ? "" : `  ${amountAtomic} to ${toAddress}`
  return `${observedAt}  ${fact.padEnd(10)}  ${level.padEnd(9)}${money}  ${txHash}\n`
}
