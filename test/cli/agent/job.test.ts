/** `agent job`: from a request that `agent sign-request` signed to a final requirement that the service's own check accepts. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { existsSync, readFileSync, statSync } from "node:fs"
import Ajv from "ajv"
import type { AcpRequirement, AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import { generateKeyFile } from "../../../src/agent/keys.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as bind } from "../../../src/cli/agent/job-bind.ts"
import { command as draftJob } from "../../../src/cli/agent/job-draft.ts"
import { command as schema } from "../../../src/cli/agent/job-schema.ts"
import { digestBytes } from "../../../src/core/digest.ts"
import { jobBinding, jobBindingBytes, requirementDigest } from "../../../src/core/jobs/job-binding.ts"
import { jobBindingFault } from "../../../src/core/jobs/verify-job-binding.ts"
import { VECTORS } from "../../fixtures/acp-vectors/vectors.ts"
import { type AgentMachine, openAgentMachine } from "../../fixtures/agent-machine.ts"
import { agentKey } from "../../fixtures/buyers.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { runCommand } from "../../fixtures/terminal.ts"

let machine: AgentMachine
beforeEach(async () => {
  machine = openAgentMachine()
  expect((await machine.sign()).exit).toBe(EXIT.DONE)
})
afterEach(() => machine[Symbol.dispose]())

const PROVIDER = `0x${"Ab".repeat(20)}`
const CLIENT = DEV_ACCOUNTS.payer.address
const LISTING = ["--provider", PROVIDER, "--offering", "offering-1"]
const read = <T>(name: string) => JSON.parse(readFileSync(machine.path(name), "utf8")) as T
const makeDraft = (...more: string[]) => runCommand(draftJob, [machine.path("request.json"), ...LISTING, ...more])
const jobFlags = (job: string, client: string, provider: string) => [
  ...["--job", job, "--client", client, "--provider", provider],
  ...["--keys", machine.path("agent.json")],
]
const bindJob = (flags: readonly string[], ...more: string[]) =>
  runCommand(bind, [machine.path("job.json"), ...flags, ...more])

test("draft and bind give a requirement that the service accepts for this job, and files of the owner only", async () => {
  const drafted = await makeDraft("--out", machine.path("job.json"), "--json")
  const draft = read<AcpRequirementDraft>("job.json")
  expect(drafted).toMatchObject({ exit: EXIT.DONE, err: "" })
  expect(JSON.parse(drafted.out)).toEqual({
    version: 1,
    file: machine.path("job.json"),
    requirement_digest: requirementDigest(draft),
  })
  expect(draft).toMatchObject({
    channel: "acp",
    request: read("request.json"),
    offering: { provider_address: PROVIDER, escrow_contract: "0x238E541BfefD82238730D00a2208E5497F1832E0" },
    buyer_authorization: null,
  })
  const bound = await bindJob(
    jobFlags("7", CLIENT.toLowerCase(), PROVIDER.toLowerCase()),
    ...["--out", machine.path("final.json"), "--json"],
  )
  expect(bound).toMatchObject({ exit: EXIT.DONE, err: "" })
  const final = read<AcpRequirement>("final.json")
  const job = { onChainJobId: "7", chainId: 8453, clientAddress: CLIENT, providerAddress: PROVIDER }
  expect(jobBindingFault(final, job, agentKey.x)).toBeNull()
  expect(JSON.parse(bound.out)).toMatchObject({
    requirement_digest: requirementDigest(draft),
    binding_digest: digestBytes(jobBindingBytes(jobBinding(final, job))),
  })
  expect(read<AcpRequirementDraft>("job.json")).toEqual(draft)
  expect(statSync(machine.path("final.json")).mode & 0o077).toBe(0)
})

test("without --out both print the document, and with it neither overwrites a file", async () => {
  const { out } = await makeDraft()
  machine.write("job.json", out)
  const flags = jobFlags("7", CLIENT, PROVIDER)
  const final = JSON.parse((await bindJob(flags)).out) as AcpRequirement
  expect(final.buyer_authorization.signature).toHaveLength(86)
  expect((await makeDraft("--out", machine.path("job.json"))).exit).toBe(EXIT.USAGE)
  expect((await bindJob(flags, "--out", machine.path("job.json"))).exit).toBe(EXIT.USAGE)
  expect(read<AcpRequirementDraft>("job.json")).toEqual(JSON.parse(out))
  const text = await bindJob(flags, "--out", machine.path("final.json"))
  expect(text.out).toContain("bound ")
  expect(text.out).toContain("fund only the exact budget")
})

test("a target job, another channel and another escrow contract are in the draft", async () => {
  const target = VECTORS[1]?.draft.target_job
  const escrow = `0x${"cd".repeat(20)}`
  machine.write("target.json", target)
  const flags = ["--target-job", machine.path("target.json"), "--channel", "commerce", "--escrow", escrow, "--json"]
  const draft = JSON.parse((await makeDraft(...flags)).out) as AcpRequirementDraft
  expect([draft.target_job, draft.channel, draft.offering.escrow_contract]).toEqual([target, "commerce", escrow])
  machine.write("target.json", { ...target, on_chain_job_id: "099" })
  expect(await makeDraft(...flags)).toMatchObject({
    exit: EXIT.USAGE,
    err: expect.stringContaining("the draft was not made: /target_job/on_chain_job_id"),
  })
})

test("a draft is made only around a signed request, for a well-formed listing", async () => {
  const address = await runCommand(draftJob, [machine.path("request.json"), "--provider", "0x12", "--offering", "o"])
  expect(address).toMatchObject({ exit: EXIT.USAGE, err: expect.stringContaining("/offering/provider_address") })
  const unsigned = await runCommand(draftJob, [machine.path("draft.json"), ...LISTING])
  expect(unsigned).toMatchObject({ exit: EXIT.USAGE, err: expect.stringContaining("not a signed request") })
})

test("bind names the flag that is wrong: 2 for its form, 3 for a job or key that is not the draft's", async () => {
  machine.write("job.json", (await makeDraft()).out)
  const other = `0x${"22".repeat(20)}`
  machine.write("other.json", generateKeyFile(realMachine.random))
  const rows = [
    [jobFlags("07", CLIENT, PROVIDER), EXIT.USAGE, "not signed: --job must be a text of 1 to 78 decimal digits"],
    [jobFlags("7", "0x12", PROVIDER), EXIT.USAGE, "not signed: --client must be an EVM address"],
    [jobFlags("7", CLIENT, "12"), EXIT.USAGE, "not signed: --provider must be an EVM address"],
    [jobFlags("7", other, PROVIDER), EXIT.INVALID, "not signed: --client must be draft/request/decision_fee_payer"],
    [jobFlags("7", CLIENT, other), EXIT.INVALID, "not signed: --provider must be draft/offering/provider_address"],
    [
      [...jobFlags("7", CLIENT, PROVIDER).slice(0, -1), machine.path("other.json")],
      EXIT.INVALID,
      "not signed: --keys must be the key that draft/request/requesting_agent/key_id names",
    ],
  ] as const
  for (const [flags, exit, message] of rows) {
    const ran = await bindJob(flags, "--out", machine.path("final.json"))
    expect(ran).toMatchObject({ exit, out: "", err: expect.stringContaining(message) })
    expect(existsSync(machine.path("final.json"))).toBe(false)
  }
  machine.write("job.json", { ...read<object>("job.json"), buyer_authorization: { algorithm: "Ed25519" } })
  expect(await bindJob(jobFlags("7", CLIENT, PROVIDER))).toMatchObject({
    exit: EXIT.USAGE,
    err: "not signed: draft/buyer_authorization must be null",
  })
})

test("the printed schema accepts what agent job draft makes", async () => {
  const draft = JSON.parse((await makeDraft()).out)
  expect((await runCommand(schema, ["--out", machine.path("schema.json")])).exit).toBe(EXIT.DONE)
  expect((await runCommand(schema, [])).out).toBe(readFileSync(machine.path("schema.json"), "utf8"))
  const check = new Ajv().compile(read<object>("schema.json"))
  expect([check(draft), check({ ...draft, extra: 1 })]).toEqual([true, false])
})

test("agent job schema prints the three documents by name, and names them for any other word", async () => {
  const print = async (...operands: string[]) => JSON.parse((await runCommand(schema, operands)).out)
  const requirements = await print("requirement")
  expect(requirements).toEqual(await print())
  const deliverable = await print("deliverable")
  expect(deliverable.title).toBe("ACP deliverable, version 3")
  expect(await print("offering")).toMatchObject({
    name: "Payment Decision",
    priceValue: 0.79,
    requirements,
    deliverable,
  })
  for (const name of ["invoice", "toString"]) {
    expect(await runCommand(schema, [name])).toMatchObject({
      exit: EXIT.USAGE,
      err: `no document ${name}; there are requirement, offering, deliverable`,
    })
  }
})
