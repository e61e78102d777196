/** The operator's commands for on-chain jobs, on a data directory with jobs of every kind. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test"
import { join } from "node:path"
import { realMachine } from "../../../src/base/machine.ts"
import { commands } from "../../../src/cli/commands.ts"
import { createDataDirectory, openDataDirectory } from "../../../src/data/data-directory.ts"
import { recordChannelCheck } from "../../../src/store/jobs/channel.ts"
import { storeDeliverable } from "../../../src/store/jobs/job-deliverables.ts"
import { recordEntry } from "../../../src/store/jobs/job-entries.ts"
import { type FactRow, recordFact } from "../../../src/store/jobs/job-facts.ts"
import { JOBS_PAGE, recordJob } from "../../../src/store/jobs/jobs.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { runCommand } from "../../fixtures/terminal.ts"

const fresh = freshDirectory()
const data = join(fresh.path, "data")
const CONTRACT = `0x${"e5".repeat(20)}`
const at = (n: number) => new Date(Date.UTC(2026, 0, 1) + n * 1000).toISOString()

async function run(name: string, ...args: string[]) {
  const load = commands[name]
  if (!load) throw new Error(`no command ${name}`)
  return runCommand((await load()).command, [...args, "--data", data])
}

function job(n: number, jobId: string, contract = CONTRACT) {
  const zero = `0x${"0".repeat(40)}`
  const parties = { client: `0x${"c1".repeat(20)}`, provider: `0x${"b2".repeat(20)}`, evaluator: zero, hook: zero }
  const id = `job_${String(n).padStart(22, "0")}`
  return { ...parties, id, chainId: 8453, contract, jobId, expiredAt: 1_800_000_000, createdBlock: "5", at: at(n) }
}

const PAYOUT: FactRow = {
  job: job(1, "1").id,
  fact: "PAYOUT",
  level: "SAFE",
  txHash: `0x${"ab".repeat(32)}`,
  logIndex: 3,
  blockNumber: "9",
  blockHash: `0x${"cd".repeat(32)}`,
  token: `0x${"83".repeat(20)}`,
  fromAddress: CONTRACT,
  toAddress: `0x${"b2".repeat(20)}`,
  amountAtomic: "782100",
  deliverableHash: null,
  observedAt: at(5),
}

beforeAll(async () => {
  await createDataDirectory(data, "test", realMachine)
  const { store } = await openDataDirectory(data, { machine: realMachine, migrate: false, onFatal: () => {} })
  await store.run(function* () {
    for (let n = 1; n <= JOBS_PAGE + 2; n++) yield* recordJob(job(n, String(n)))
    yield* recordJob(job(900, "7", `0x${"e6".repeat(20)}`))
    yield* recordEntry(job(1, "1").id, {
      entryKey: "k",
      receivedAt: at(2),
      verdict: "IGNORED",
      code: "BINDING_INVALID",
    })
    yield* recordFact(PAYOUT)
    const text = '{"deliverable_version":3}'
    yield* storeDeliverable({ job: job(1, "1").id, text, sha256: "sha256:1", keccak256: "0x2", createdAt: at(3) })
    const look = { owner: "one", at: at(4), provider: "0xb2", reasons: '["ACP_CONTRACT_PAUSED"]' }
    yield* recordChannelCheck({ ...look, platformFeeBp: 100, evaluatorFeeBp: 500, balanceWei: "7" }, at(0))
  })
  await store.close()
})
afterAll(() => fresh[Symbol.dispose]())

describe("acp", () => {
  test("jobs are listed newest first, page by page", async () => {
    const first = JSON.parse((await run("acp jobs", "--json")).out) as {
      jobs: { id: string; on_chain_job_id: string }[]
    }
    expect(first.jobs.map(({ on_chain_job_id: id }) => id).slice(0, 3)).toEqual([
      "7",
      String(JOBS_PAGE + 2),
      String(JOBS_PAGE + 1),
    ])
    expect(first.jobs).toHaveLength(JOBS_PAGE)
    const second = await run("acp jobs", "--json", "--after", first.jobs.at(-1)?.id ?? "")
    const rest = (JSON.parse(second.out) as typeof first).jobs
    expect(rest.map(({ on_chain_job_id: id }) => id)).toEqual(["3", "2", "1"])
    expect((await run("acp jobs", "--after", "1")).out).toBe("no job\n")
    expect((await run("acp jobs")).out.split("\n")[0]).toContain("job 7  SEEN")
  })

  test("one job shows its moves, messages and delivery", async () => {
    const { out } = await run("acp job", "1")
    expect(out).toContain(`job 1 of ${CONTRACT}\nstate     SEEN\n`)
    expect(out).toContain("message IGNORED BINDING_INVALID")
    expect(out).toContain("delivery  0x2, posted not yet")
    expect(JSON.parse((await run("acp job", "1", "--json")).out)).toMatchObject({
      version: 1,
      job: { on_chain_job_id: "1", state: "SEEN", reason: null },
      moves: [{ from: null, to: "SEEN", detail: "block 5" }],
      transactions: [],
    })
    expect((await run("acp job", "1", "--deliverable")).out).toBe('{"deliverable_version":3}')
    expect(await run("acp job", "2", "--deliverable")).toMatchObject({ exit: 5, out: "" })
  })

  test("facts are separate, with their level and amount", async () => {
    expect((await run("acp facts", "1")).out).toBe(
      `${at(5)}  PAYOUT      SAFE       782100 to ${PAYOUT.toAddress}  ${PAYOUT.txHash}\n`,
    )
    const { facts } = JSON.parse((await run("acp facts", "1", "--json")).out) as { facts: unknown[] }
    expect(facts).toMatchObject([{ fact: "PAYOUT", level: "SAFE", amount_atomic: "782100", from: CONTRACT }])
    expect((await run("acp facts", "2")).out).toContain("no fact")
  })

  test("an unknown number is 5, and one of two contracts is 2 with both ids", async () => {
    expect(await run("acp job", "4711")).toMatchObject({ exit: 5, err: "no job 4711; bizauth acp jobs lists them" })
    expect((await run("acp facts", "job_none")).exit).toBe(5)
    const two = await run("acp job", "7")
    expect(two.exit).toBe(2)
    for (const n of [7, 900]) expect(two.err).toContain(job(n, "7").id)
    expect((await run("acp job", job(900, "7").id)).exit).toBe(0)
  })

  test("a pause is kept with its reason, and resumed", async () => {
    expect((await run("acp status")).out).toBe(`NOT PAUSED\n${at(4)}  ACP_CONTRACT_PAUSED  wallet 0xb2  7 wei\n`)
    expect((await run("acp pause", "--why", "review")).out).toStartWith("paused: ")
    expect((await run("acp pause", "--why", "again")).out).toStartWith("still paused: ")
    expect((await run("acp status")).out).toMatch(/^PAUSED {2}since .*: again\n/)
    expect(JSON.parse((await run("acp status", "--json")).out)).toMatchObject({
      paused: true,
      reason: "again",
      processes: [{ reasons: ["ACP_CONTRACT_PAUSED"], platform_fee_bp: 100, evaluator_fee_bp: 500 }],
    })
    expect((await run("acp resume", "--why", "done")).out).toStartWith("resumed: ")
    expect((await run("acp resume", "--why", "done")).out).toStartWith("not paused before: ")
    expect(await run("acp pause", "--why", "a\nb")).toMatchObject({ exit: 2, err: expect.stringContaining("--why") })
    expect((await run("acp pause")).exit).toBe(2)
  })
})
