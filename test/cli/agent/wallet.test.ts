import { afterAll, beforeAll, expect, test } from "bun:test"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { walletArtifactIn } from "../../../src/agent/wallet-artifact.ts"
import { EXIT } from "../../../src/base/exit.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { command as enroll, runEnrol } from "../../../src/cli/agent/enroll.ts"
import { command as keygen } from "../../../src/cli/agent/keygen.ts"
import { command as importCommand, runWalletImport } from "../../../src/cli/agent/wallet-import.ts"
import { command as listCommand, runWalletList } from "../../../src/cli/agent/wallet-list.ts"
import { readInput } from "../../../src/cli/command.ts"
import { findCommand } from "../../../src/cli/commands.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"
import { DAY, formatInstant, MINUTE } from "../../../src/core/time.ts"
import { type AgentService, agentService } from "../../agent-mode/agent-service.ts"
import * as made from "../../agent-mode/wallet/artifacts.ts"
import { DECIDED_AT, deliveredDecision } from "../../fixtures/decision.ts"
import { freshDirectory } from "../../fixtures/directories.ts"
import { BASE_URL } from "../../fixtures/service.ts"

const folder = freshDirectory()
const at = (name: string) => join(folder.path, name)
let service: AgentService
let printed = ""
const terminal = {
  out: (text: string) => {
    printed += text
  },
  err: () => {},
  environment: {},
}

beforeAll(async () => {
  service = await agentService()
  await keygen.run(readInput(keygen, ["--out", at("agent.json")], terminal))
  await runEnrol(readInput(enroll, ["--keys", at("agent.json"), "--server", BASE_URL], terminal), service.send)
  made.adoptIssuer(service)
  service.clock.set(DECIDED_AT + MINUTE)
  writeFileSync(at("delivery.json"), deliveredDecision().bytes)
  writeFileSync(at("bundle.json"), JSON.stringify(made.gbPayment().bundle))
})
afterAll(async () => {
  await service[Symbol.asyncDispose]()
  folder[Symbol.dispose]()
})

const machine = () => ({ ...realMachine, now: service.clock.now })
const common = () => ["--keys", at("agent.json"), "--server", BASE_URL]
async function bring(file: string, keep: string, until: string) {
  printed = ""
  const input = readInput(importCommand, [at(file), "--keep", keep, "--until", until, ...common(), "--json"], terminal)
  const code = await runWalletImport(input, service.send, machine())
  return { code, ...(JSON.parse(printed) as Record<string, unknown>) }
}
async function list(): Promise<readonly Record<string, unknown>[]> {
  printed = ""
  await runWalletList(readInput(listCommand, [...common(), "--json"], terminal), service.send, machine())
  return (JSON.parse(printed) as { entries: Record<string, unknown>[] }).entries
}

test("the parser finds both commands by their three words", async () => {
  for (const command of [importCommand, listCommand]) {
    expect((await findCommand(command.name.split(" "))?.load())?.command).toBe(command)
  }
})

test("a delivery is imported, listed and ended", async () => {
  const until = formatInstant(service.clock.now() + 30 * DAY)
  const kept = await bring("delivery.json", "digest", until)
  expect(kept).toMatchObject({ code: EXIT.DONE, version: 1, artifact_type: "PROOF_CAPSULE", reuse_state: "REUSABLE" })
  expect(await bring("bundle.json", "document", until)).toMatchObject({ artifact_type: "UK_DELIVERY" })
  expect((await list()).map(({ artifact_type: type }) => type)).toEqual(["PROOF_CAPSULE", "UK_DELIVERY"])
  expect(await bring("delivery.json", "digest", "now")).toMatchObject({
    wallet_entry_id: (kept as Record<string, unknown>)["wallet_entry_id"],
    next_machine_action: "ENTRY_ENDED",
  })
  expect(await list()).toHaveLength(1)
})

test("import and list say in words that holding an answer does not prove who bought it", async () => {
  const said = "Holding an answer does not prove who bought it"
  const words = async (file: string) => {
    printed = ""
    const until = formatInstant(service.clock.now() + 30 * DAY)
    const given = [at(file), "--keep", "digest", "--until", until, ...common()]
    await runWalletImport(readInput(importCommand, given, terminal), service.send, machine())
    return printed
  }
  expect(await words("delivery.json")).toContain(said)
  writeFileSync(at("proof.json"), JSON.stringify(await made.serviceProof(service)))
  expect(await words("proof.json")).not.toContain(said)
  printed = ""
  await runWalletList(readInput(listCommand, common(), terminal), service.send, machine())
  expect(printed).toContain(said)
  printed = ""
  await runWalletList(readInput(listCommand, [...common(), "--json"], terminal), service.send, machine())
  expect(JSON.parse(printed).limitations).toContain("HOLDING_PROVES_NO_PURCHASE")
})

test.each<[string, string, string, number]>([
  ["another word for what to keep", "delivery.json", "all", EXIT.USAGE],
  ["a file without an artifact", "agent.json", "digest", EXIT.NOT_CHECKED],
])("%s is refused", async (_name, file, keep, code) => {
  await expect(bring(file, keep, "now")).rejects.toMatchObject({ exit: code })
})

test("a time that is none is refused before anything is sent", async () => {
  await expect(bring("delivery.json", "digest", "tomorrow")).rejects.toMatchObject({ exit: EXIT.USAGE })
})

test("a refusal of the service is exit 3", async () => {
  const late = formatInstant(service.clock.now() + 401 * DAY)
  await expect(bring("delivery.json", "digest", late)).rejects.toMatchObject({ exit: EXIT.INVALID })
})

test("every kind of file is recognised", async () => {
  const agent = await service.enrol()
  const typeOf = (value: unknown) => walletArtifactIn(value as JsonValue)?.artifact_type ?? null
  expect([
    typeOf(made.decision()),
    typeOf(made.companyCheck().capsule),
    typeOf(made.companyCheck().bundle),
    typeOf(made.passport()),
    typeOf(await made.receipt(service, agent)),
    typeOf(await made.status(service, agent)),
    typeOf(await made.exportBundle(service, agent)),
    typeOf(await made.registration(service, agent)),
    typeOf(await made.serviceProof(service)),
    typeOf(made.sandboxArtifact(service, { artifact_type: "UK_DELIVERY" })),
    typeOf({ payload: { domain: "svc.mandate.v1" } }),
    typeOf([]),
  ]).toEqual([
    "PROOF_CAPSULE",
    "PROOF_CAPSULE",
    "PROOF_CAPSULE",
    "PROOF_CAPSULE",
    "EVENT_RECEIPT",
    "STATUS_RECORD",
    "EXPORT_BUNDLE",
    "ARTIFACT_REGISTRATION",
    "SERVICE_PROOF",
    "UK_DELIVERY",
    null,
    null,
  ])
})
