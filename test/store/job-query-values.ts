/** The values for the queries about on-chain jobs over grown tables. */
import { GROWN_CLIENT, GROWN_CONTRACT, GROWN_WALLET } from "../fixtures/grown-jobs.ts"
import { grownId, grownInstant } from "../fixtures/grown-row.ts"

export type Value = string | number | null | Uint8Array
export type Values = Readonly<Record<string, Value>>

/** Files whose queries ask about one job, or the jobs of one client. */
const JOBS = [
  "jobs",
  "job-leases",
  "job-moves",
  "job-entries",
  "job-actions",
  "job-deliverables",
  "job-facts",
  "channel",
]

/** By placeholder, for row `n`. */
export function ofJobs(n: number): Values {
  return {
    action: "SUBMIT",
    amountAtomic: null,
    balanceWei: null,
    beforeId: grownId("job", n),
    bindingDigest: "binding",
    blockNumber: "1",
    client: GROWN_CLIENT,
    code: "CODE",
    contract: GROWN_CONTRACT,
    createdAt: grownInstant(n),
    createdBlock: "1",
    deliverableHash: null,
    detail: "",
    entryKey: `entry-${n}`,
    evaluator: "0x0",
    evaluatorFeeBp: 0,
    expiredAt: 1,
    fact: "FUNDING",
    from: "COMPLETED",
    fromAddress: null,
    fundingJson: "{}",
    hook: "0x0",
    id: grownId("job", n),
    job: grownId("job", n),
    jobId: String(n),
    keccak256: "0x0",
    level: "SAFE",
    maxFeeWei: "1",
    observedAt: grownInstant(n),
    owner: "somebody",
    platformFeeBp: 0,
    provider: GROWN_WALLET,
    raw: "0x",
    reasons: "[]",
    receivedAt: grownInstant(n),
    requirementDigest: "requirement",
    requirementJson: "{}",
    seen: grownInstant(n),
    sha256: "sha256:0",
    state: "SAFE",
    text: "{}",
    to: "COMPLETED",
    toAddress: null,
    token: null,
    txHash: `0xb${n}`,
    verdict: "DRAFT",
    wallet: GROWN_WALLET,
  }
}

/** `query`: file and name of a query of the store. */
export function isAboutJobs(query: string): boolean {
  return JOBS.some((file) => query.startsWith(`${file}.ts `))
}
