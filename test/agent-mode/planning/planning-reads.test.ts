/** What a plan reads is kept only while no process commits. */
import { expect, test } from "bun:test"
import { openDatabase } from "../../../db/open.ts"
import { KEPT_AGENTS_MAX, PlanningReads } from "../../../src/agent-mode/planning/planning-reads.ts"
import type { Store, Unit } from "../../../src/store/engine/unit.ts"
import { intentBody, planningService } from "./planning-service.ts"

/** A store whose version the test sets. */
function counted() {
  const counts = { version: 1, versions: 0, refreshed: 0 }
  const store = {
    version: () => {
      counts.versions++
      return counts.version
    },
  } as unknown as Store
  const reads = new PlanningReads(store, async () => counts.refreshed++)
  return { counts, reads }
}

/** Answers the first statement of the unit with these rows, and each later one with none. */
function drive<T>(unit: Unit<T>, rows: readonly unknown[]): T {
  let step = unit.next()
  for (let given = rows; !step.done; given = []) step = unit.next([...given])
  return step.value
}

const KNOWN = [{ key: { keyId: "k", scalarOwner: "s" }, headAcceptedAt: "2026-01-01T00:00:00.000Z" }]

test("one poll asks once for the version and the keys; without a socket each plan asks", async () => {
  const { counts, reads } = counted()
  await Promise.all([reads.begin(1), reads.begin(1), reads.begin(1)])
  expect([counts.versions, counts.refreshed]).toEqual([1, 1])
  await reads.begin(2)
  await reads.begin(null)
  await reads.begin(null)
  expect([counts.versions, counts.refreshed]).toEqual([4, 4])
})

test("a state is used again on the same version only, and unknown agents are not kept", async () => {
  const { counts, reads } = counted()
  await reads.begin(1)
  expect(reads.keptState(null)).toBe("NOT_STATED")
  expect(drive(reads.readState("known", 1), KNOWN)).toBe("ACTIVE")
  expect(drive(reads.readState("unknown", 1), [])).toBe("UNKNOWN")
  expect([reads.keptState("known"), reads.keptState("unknown"), reads.size]).toEqual(["ACTIVE", null, 1])
  counts.version = 2
  expect(reads.keptState("known")).toBe("ACTIVE")
  await reads.begin(2)
  expect(reads.keptState("known")).toBeNull()
})

test("above the maximum the oldest is forgotten", async () => {
  const { reads } = counted()
  await reads.begin(1)
  for (let n = 0; n <= KEPT_AGENTS_MAX; n++) drive(reads.readState(`agent-${n}`, 1), KNOWN)
  expect(reads.size).toBe(KEPT_AGENTS_MAX)
  expect([reads.keptState("agent-0"), reads.keptState("agent-1")]).toEqual([null, "ACTIVE"])
})

test("a revocation by another connection is in the very next plan", async () => {
  await using service = await planningService()
  const { agentId } = await service.enrol()
  const body = intentBody({ intent: "RELEASE_PAYMENT_TO_SUPPLIER", requesting_agent: { agent_id: agentId } })
  const codes = async () => (await service.ask("preflight", body)).payload.reason_codes
  expect(await codes()).not.toContain("AGENT_KEY_NOT_ACTIVE")
  expect(await codes()).not.toContain("AGENT_KEY_NOT_ACTIVE")
  const other = openDatabase(service.service.dataDirectory.paths.database)
  other.run("UPDATE agent_key SET status = 'REVOKED', until = since WHERE role = 'OPERATIONAL'")
  other.close()
  expect(await codes()).toContain("AGENT_KEY_NOT_ACTIVE")
})
