/** After a restore the status of an identity is UNKNOWN until its next event, until a person confirms it, or until the declaration. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import type { AgentStatus } from "../../../schemas/agent-id/identity.ts"
import { formatInstant, MINUTE, SECOND } from "../../../src/core/time.ts"
import { readExport } from "../../../src/store/identity/agent-export.ts"
import { findActiveOperationalKey } from "../../../src/store/identity/agent-identity.ts"
import { confirmAgents, pausedAgents } from "../../../src/store/identity/paused-agents.ts"
import { findSigner } from "../../../src/store/identity/signature-facts.ts"
import { pausedLines, pausedRights } from "../../../src/store/paused-rights.ts"
import { addRestore, declareBackupNewest } from "../../../src/store/restores.ts"
import type { TestAgent } from "../../fixtures/agent.ts"
import { signedStatement } from "../../fixtures/signed-statement.ts"
import { change, ending } from "../../products/agent-id/key-changes.ts"
import { newAgent, openService, type Service, verificationOf } from "../../products/agent-id/service.ts"

let service: Service
let agent: TestAgent
let other: TestAgent
beforeEach(async () => {
  service = await openService()
  agent = await newAgent(service)
  other = await newAgent(service)
})
afterEach(() => service.close())

async function restored(): Promise<void> {
  service.clock.at += MINUTE
  const at = formatInstant(service.clock.at)
  await service.store.run(() => addRestore({ backup_at: at, restored_at: at, newest_declared_at: null }))
  service.clock.at += MINUTE
}
const confirm = (...agentIds: string[]) =>
  service.store.run(() =>
    confirmAgents({ agentIds, at: formatInstant(service.clock.at), author: "J. Doe", reason: "letter" }),
  )

/** What every reader of the identity says. */
async function stateOf({ agentId, operational }: TestAgent): Promise<readonly unknown[]> {
  const status = (await (await service.get(`/v1/agent-identities/${agentId}/status`)).json()) as AgentStatus
  const sent = { ...signedStatement({ agentId, operational }, service.clock.at), replay_check: "OBSERVE" }
  const verified = await verificationOf(await service.post("/v1/agent-signatures/verify", sent))
  const outcome = await service.store.read(() => readExport(agentId, 1_000))
  return [
    status.payload.freshness.status === "UNKNOWN" ? "UNKNOWN" : "ACTIVE",
    verified.outcomes.lifecycle.outcome === "KEY_ACTIVE" ? "ACTIVE" : "UNKNOWN",
    (await service.store.read(() => findSigner(agentId, operational.keyId)))?.isUnknown ? "UNKNOWN" : "ACTIVE",
    (await service.store.read(() => findActiveOperationalKey(agentId))) === null ? "UNKNOWN" : "ACTIVE",
    outcome.kind === "FOUND" && outcome.facts.isUnknown ? "UNKNOWN" : "ACTIVE",
  ]
}
const UNKNOWN = Array.from({ length: 5 }, () => "UNKNOWN")
const ACTIVE = Array.from({ length: 5 }, () => "ACTIVE")
const pausedIds = async () => (await service.store.read(() => pausedAgents())).map(({ agentId }) => agentId)

test("each identity is confirmed by itself, everywhere at once, and the next restore pauses it again", async () => {
  expect([await stateOf(agent), await pausedIds()]).toEqual([ACTIVE, []])
  expect(await confirm(agent.agentId)).toBe("NOT_PAUSED")
  await restored()
  expect([await stateOf(agent), await stateOf(other)]).toEqual([UNKNOWN, UNKNOWN])
  expect(await pausedIds()).toEqual([agent.agentId, other.agentId].toSorted())
  const paused = await service.store.read(() => pausedRights(formatInstant(service.clock.at)))
  expect(paused?.identities).toBe(2)
  expect(paused && pausedLines(paused).join("\n")).toContain("2 identities of agents: bizauth identities list")

  expect(await confirm(agent.agentId)).toBe("CONFIRMED")
  expect([await stateOf(agent), await stateOf(other)]).toEqual([ACTIVE, UNKNOWN])
  expect([await pausedIds(), await confirm(agent.agentId)]).toEqual([[other.agentId], "NOT_PAUSED"])

  await restored()
  expect(await stateOf(agent)).toEqual(UNKNOWN)
  await service.store.run(() => declareBackupNewest(formatInstant(service.clock.at)))
  expect([await stateOf(agent), await stateOf(other), await pausedIds()]).toEqual([ACTIVE, ACTIVE, []])
})

test("an unknown or ended identity is not confirmed, and none beside it", async () => {
  await restored()
  service.clock.at += SECOND
  await change(service, ending(other.agentId), { RECOVERY: other.recovery, OPERATIONAL: other.operational })
  expect(await confirm(agent.agentId, other.agentId)).toBe("UNKNOWN")
  expect(await confirm(agent.agentId, "svc:agent:none")).toBe("UNKNOWN")
  expect([await stateOf(agent), await pausedIds()]).toEqual([UNKNOWN, [agent.agentId]])
})

test("a list of many goes on after the last one that it showed", async () => {
  await restored()
  const [first = "", second = ""] = await pausedIds()
  expect((await service.store.read(() => pausedAgents(first))).map(({ agentId }) => agentId)).toEqual([second])
  expect(await service.store.read(() => pausedAgents(second))).toEqual([])
})
