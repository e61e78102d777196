/** The digest of the facts changes with each fact that a result depends on. */
import { expect } from "bun:test"
import type { AgentPlanningIntent } from "../../../schemas/agent-mode/planning.ts"
import type { Operation } from "../../../schemas/operation.ts"
import type { PlanningDeps } from "../../../src/agent-mode/planning/planning-deps.ts"
import { canonicalize } from "../../../src/core/canonical-json.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { MINUTE } from "../../../src/core/time.ts"
import { databaseOf } from "../../fixtures/database-of.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import * as made from "../wallet/artifacts.ts"
import { intentBody, type Payload, planningService, START, source } from "./planning-service.ts"

const test = slowTests(import.meta.path)

const GB = "AUTHORIZE_GB_BUSINESS_PAYMENT"
const DIGEST = digestOf("evidence")

test("each fact changes the digest, and without a change the bytes are the same", async () => {
  await using service = await planningService({ sourcesOf: () => [source(), source({ sourceId: "US_TRADE_CSL" })] })
  const { agentId } = await service.enrol()
  const database = databaseOf(service.service.dataDirectory)
  const body = intentBody({
    intent: GB,
    requesting_agent: { agent_id: agentId },
    evidence_references: [{ digest: DIGEST, wallet_entry_id: null, authorized_by_caller: true }],
  })
  const { shell } = service.service
  const rows = shell.served.rows()
  const changed = (change: (row: Operation) => Operation | null) => () => rows.flatMap((row) => change(row) ?? [])
  const ofIntent = (row: Operation) => row.intent?.name === GB
  const facts: readonly (readonly [string, Partial<PlanningDeps>])[] = [
    ["the base address", { baseUrl: () => "https://other.example" }],
    ["payments", { paymentsMode: "off" }],
    ["payments on the real network", { paymentsMode: "live" }],
    ["the live register", { isUkRegisterLive: true }],
    ["the health of a list", { sourcesOf: () => [source(), source({ sourceId: "US_TRADE_CSL", health: "STALE" })] }],
    [
      "the end of a list",
      { sourcesOf: () => [source(), source({ sourceId: "US_TRADE_CSL", staleAt: START + MINUTE })] },
    ],
    ["a list without an end", { sourcesOf: () => [source(), source({ sourceId: "US_TRADE_CSL", staleAt: null })] }],
    [
      "a further list",
      { sourcesOf: () => [source(), source({ sourceId: "US_TRADE_CSL" }), source({ sourceId: "UK" })] },
    ],
    ["one list less", { sourcesOf: () => [source()] }],
    [
      "a price",
      {
        operations: changed((row) =>
          ofIntent(row) && row.price ? { ...row, price: { ...row.price, amount: "9" } } : row,
        ),
      },
    ],
    ["a path", { operations: changed((row) => (ofIntent(row) ? { ...row, path: `${row.path}2` } : row)) }],
    ["an operation", { operations: changed((row) => (row.id === "agent_mcp" ? null : row)) }],
    [
      "a need",
      {
        operations: changed((row) =>
          ofIntent(row) && row.intent ? { ...row, intent: { ...row.intent, planning: ["DELEGATION"] } } : row,
        ),
      },
    ],
    [
      "a coverage",
      {
        operations: changed((row) =>
          ofIntent(row) && row.product ? { ...row, product: { ...row.product, coverage: "OTHER" } } : row,
        ),
      },
    ],
    [
      "the body of an operation",
      {
        operations: changed((row) =>
          ofIntent(row)
            ? ({ ...row, body: rows.find(({ id }) => id === "import_proof_wallet_artifact")?.body } as Operation)
            : row,
        ),
      },
    ],
  ]
  const planned = async (deps: Partial<PlanningDeps> = {}, given: AgentPlanningIntent = body) =>
    (await service.ask("routes", given, {}, service.made(deps))).payload
  const base = await planned()
  expect(base.outcome).toBe("SUPPORTED")
  const seen = new Map<unknown, string>([[base["facts_digest"], "nothing"]])
  const isNew = (name: string, { facts_digest: digest }: Payload) => {
    expect([name, seen.get(digest)]).toEqual([name, undefined])
    seen.set(digest, name)
  }
  for (const [name, deps] of facts) isNew(name, await planned(deps))
  expect(canonicalize(await planned())).toBe(canonicalize(base))

  // The facts that are rows.
  database.run("UPDATE agent_key SET status = 'REVOKED', until = since WHERE role = 'OPERATIONAL'")
  isNew("the agent's key", await planned())
  database.run("UPDATE agent_key SET status = 'ACTIVE', until = NULL WHERE role = 'OPERATIONAL'")
  expect(canonicalize(await planned())).toBe(canonicalize(base))
  database.run("PRAGMA foreign_keys = OFF")
  const { capsule } = made.gbPayment()
  database
    .query(
      "INSERT INTO delivery (request_id, purchase_id, decision_id, delivery_reference, core_json, facts_json, capsule_json, capsule_digest, key_id, valid_until, computed_at, body, delivered_at, response_digest) VALUES ('drq_p', 'drq_p', 'dec_p', 'dlv_p', '{}', '{}', ?1, ?2, ?3, '', '', '{}', '', ?4)",
    )
    .run(JSON.stringify(capsule), capsule.capsule_digest, capsule.signature.key_id, DIGEST)
  isNew("the evidence", await planned())
})
