/** The Payment Decision bought as a job on the chain: contract, hub and worker, and what the chain shows of it in the end. */
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { privateKeyToAccount } from "viem/accounts"
import type { AcpDeliverable } from "../../schemas/acp/deliverable.ts"
import { BASE_CHAIN_ID } from "../../schemas/network.ts"
import { type MockHub, startHub } from "../../test/fixtures/acp-hub.ts"
import { type Chain, DEV_ACCOUNTS, DEV_KEYS } from "../../test/fixtures/chain.ts"
import { type Escrow, openEscrow } from "../../test/fixtures/escrow.ts"
import { type Buyer, must, type Run } from "./buyer.ts"
import { type BuyerParty, draftFor } from "./drafts.ts"
import { FEE_ATOMIC, formatUsdc } from "./money.ts"
import { expectSame, type Story, UnexpectedOutcome } from "./story.ts"

const PROVIDER_KEY = DEV_KEYS[6]
const PROVIDER = privateKeyToAccount(PROVIDER_KEY)
const OFFERING_ID = "demo-offering"
/** The worker polls every two seconds, and a job needs a handful of polls. */
const STATE_MS_MAX = 30_000
const POLL_EVERY_MS = 100

export interface JobSide {
  readonly hub: MockHub
  readonly escrow: Escrow
}

export async function openJobSide(chain: Chain): Promise<JobSide> {
  return { escrow: await openEscrow(chain), hub: startHub() }
}

/** Flags of `bizauth serve` with which it serves jobs. Writes the key of the provider's wallet. */
export function jobFlags(folder: string, { hub, escrow }: JobSide): string[] {
  const key = join(folder, "provider.key")
  writeFileSync(key, PROVIDER_KEY, { mode: 0o600 })
  return [
    ...["--acp-jobs", "on", "--acp-hub-url", hub.url, "--acp-provider-key-file", key],
    ...["--acp-offering-id", OFFERING_ID, "--acp-implementations", escrow.implementation],
  ]
}

interface JobParts {
  readonly story: Story
  readonly chain: Chain
  readonly run: Run
  readonly folder: string
  readonly data: string
  readonly jobSide: JobSide
}

export async function jobIsServed(parts: JobParts, buyer: Buyer, party: BuyerParty): Promise<void> {
  const { story, chain, run, data, jobSide } = parts
  const { hub, escrow } = jobSide
  const { payer } = DEV_ACCOUNTS
  const final = buyer.path("job.requirement.json")
  const stateOf = async (job: string) => {
    const { exit, out } = await run(["acp", "job", job, "--data", data, "--json"])
    return exit === 0 ? (JSON.parse(out) as { job: { state: string } }).job.state : "UNKNOWN"
  }
  const job = await story.tell("job", 0n, async () => {
    const request = await buyer.sign("job", draftFor(party, { obligation: "INV-6" }))
    const draft = buyer.path("job.draft-requirement.json")
    const offering = ["--provider", PROVIDER.address, "--offering", OFFERING_ID]
    await must(run, ["agent", "job", "draft", request, ...offering, "--out", draft])
    const id = await escrow.createJob({ provider: PROVIDER.address, client: payer })
    hub.openChat(id, [PROVIDER.address, payer.address])
    const parties = ["--job", id, "--client", payer.address, "--provider", PROVIDER.address]
    const keys = ["--keys", buyer.path("agent.json")]
    await must(run, ["agent", "job", "bind", draft, ...parties, ...keys, "--out", final])
    hub.post(id, payer.address, readFileSync(final, "utf8"))
    await until("the budget is proposed", async () => (await stateOf(id)) === "BUDGET_PROPOSED")
    expectSame("the budget", (await escrow.read(id)).budget, FEE_ATOMIC)
    return { outcome: `job ${id} is bound and signed; the provider asks for ${formatUsdc(FEE_ATOMIC)}`, id }
  })
  await story.tell("job delivered", 0n, async () => {
    await escrow.fund(job.id, { client: payer })
    await until("the funding is seen", async () => (await stateOf(job.id)) === "FUNDING_SEEN")
    expectSame("deliverables before the funding is safe", hub.deliverables(job.id).length, 0)
    await chain.mine(1)
    await until("the job is submitted", async () => (await escrow.submissions(job.id)).length === 1)
    await chain.mine(1)
    await until("the job is completed", async () => (await stateOf(job.id)) === "COMPLETED")
    const [text] = hub.deliverables(job.id)
    const [submitted] = await escrow.submissions(job.id)
    if (text === undefined || submitted === undefined) throw new UnexpectedOutcome("nothing was delivered")
    const file = buyer.path("job.deliverable.json")
    writeFileSync(file, text)
    const facts = buyer.path("job.facts.json")
    const actual = {
      onChainJobId: job.id,
      chainId: BASE_CHAIN_ID,
      clientAddress: payer.address,
      providerAddress: PROVIDER.address,
    }
    writeFileSync(facts, JSON.stringify(actual))
    const against = ["--requirement", final, "--job", facts, "--submitted", submitted]
    await must(run, ["agent", "job", "verify", file, ...against, "--issuer", buyer.path("issuer.jwks.json")])
    const { response } = JSON.parse(text) as AcpDeliverable
    expectSame("the decision", response.decision, "ALLOW")
    return {
      outcome: `${response.decision}; the posted text has the submitted hash and verifies`,
      facts: { submitted },
    }
  })
  await story.tell("job facts", 0n, async () => {
    const { json } = await must(run, ["acp", "facts", job.id, "--data", data, "--json"])
    const { facts } = json as unknown as { facts: readonly JobFact[] }
    const amounts = Object.fromEntries(facts.map(({ fact, amount_atomic }) => [fact, amount_atomic]))
    expectSame("the funding", amounts["FUNDING"], String(FEE_ATOMIC))
    return {
      outcome: "funding, submission, completion and payout are separate facts of the chain",
      facts: Object.fromEntries(
        facts.map(({ fact, level, amount_atomic: amount }) => [fact, `${level}${amount === null ? "" : ` ${amount}`}`]),
      ),
    }
  })
}

interface JobFact {
  readonly fact: string
  readonly level: string
  readonly amount_atomic: string | null
}

async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
  const giveUpAt = Date.now() + STATE_MS_MAX
  while (!(await isSo())) {
    if (Date.now() > giveUpAt) throw new UnexpectedOutcome(`${what}: not within ${STATE_MS_MAX / 1000} s`)
    await Bun.sleep(POLL_EVERY_MS)
  }
}
