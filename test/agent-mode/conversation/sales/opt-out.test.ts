/** Leaving works whatever else does not; coming back has a limit. */
import { expect, test } from "bun:test"
import { AgentSalesOptOutResult } from "../../../../schemas/agent-mode/opt-out.ts"
import { RETURNS_PER_DAY_MAX } from "../../../../src/agent-mode/conversation/sales/opt-out.ts"
import { canonicalize } from "../../../../src/core/canonical-json.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { verifySignature } from "../../../../src/core/ed25519.ts"
import { DAY, formatInstant, MINUTE } from "../../../../src/core/time.ts"
import { without } from "../../../../src/core/without.ts"
import { compile } from "../../../../src/http/read-body.ts"
import { KEY_VALID_DAYS } from "../../../../src/keys/issue-key.ts"
import { databaseOf } from "../../../fixtures/database-of.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { BASE_URL, clockAt } from "../../../fixtures/service.ts"
import { agentService } from "../../agent-service.ts"
import {
  type Answer,
  COMPANY_CHECK,
  dialogueTurn,
  enterTestAgent,
  openSalesServer,
  optOut,
  PATHS,
  type SalesServer,
} from "../../sales-test-server.ts"

const NOW = Date.UTC(2026, 3, 1, 12)

async function serving(work: (server: SalesServer, clock: ReturnType<typeof clockAt>) => Promise<void>): Promise<void> {
  using directory = freshDirectory()
  const clock = clockAt(NOW)
  const server = openSalesServer(`${directory.path}/bizauth.db`, { machine: clock })
  await enterTestAgent(server, NOW)
  try {
    await work(server, clock)
  } finally {
    await server.close()
  }
}

const told = ({ status, body }: Answer) => [status, body.code, body.reason_codes?.[0] ?? null]
const rowsIn = ({ database }: Pick<SalesServer, "database">) =>
  (database.query("SELECT count(*) AS n FROM sales_opt_out").get() as { n: number }).n

test("an expired signing key does not keep an agent from leaving; the same message gets its receipt later", async () => {
  await using service = await agentService()
  const { agentId, operational: key } = await service.enrol()
  const began = service.clock.now()
  const expired = began + (KEY_VALID_DAYS + 1) * DAY
  service.clock.set(expired)
  const by = { key, agentId, audience: BASE_URL }
  const post = async (path: string, body: unknown) => {
    const headers = { "content-type": "application/json" }
    const answer = await service.send(
      new Request(BASE_URL + path, { method: "POST", headers, body: JSON.stringify(body) }),
    )
    return { status: answer.status, body: (await answer.json()) as Record<string, unknown> }
  }
  const message = optOut(expired, {}, by)
  const left = await post(PATHS.optOut, message)
  expect([left.status, compile(AgentSalesOptOutResult).Check(left.body)]).toEqual([200, true])
  expect(left.body).toMatchObject({
    status: "OPTED_OUT",
    effective_at: formatInstant(expired),
    receipt: null,
    limitations: ["OWN_AGENT_ONLY", "PURCHASES_STAY_POSSIBLE", "NO_KEY_SIGNS_RECEIPTS_NOW"],
    next_machine_action: "SEND_AGAIN_FOR_RECEIPT",
  })
  expect(await post(PATHS.optOut, message)).toEqual({ status: 200, body: { ...left.body, replayed: true } })

  // As after a rotation: the key signs for longer.
  const database = databaseOf(service.service.dataDirectory)
  database.run("UPDATE service_key SET expires_at = ?1", [formatInstant(expired + DAY)])
  const { keys } = service.service
  const reread = keys as unknown as { seenVersion: number }
  reread.seenVersion = Number.NaN
  await keys.refresh()
  const { body } = await post(PATHS.optOut, message)
  const { receipt } = body as { receipt: { payload: Record<string, unknown>; signature: { value: string } } }
  expect(receipt.payload).toMatchObject({
    status: "OPTED_OUT",
    audience: agentId,
    effective_at: formatInstant(expired),
    request_digest: digestOf(without(message as typeof message & { signature: unknown }, "signature")),
  })
  const [signing] = keys.signingKeys().filter(({ use }) => use === "statement")
  expect(verifySignature(signing?.x ?? "", canonicalize(receipt.payload), receipt.signature.value)).toBe(true)
  expect(body).toMatchObject({ replayed: true, next_machine_action: "STOP" })
  const turn = await post(PATHS.dialogue, dialogueTurn(expired, {}, by))
  expect([turn.status, turn.body["code"]]).toEqual([409, "OPTED_OUT"])
})

test("a state that holds keeps its time and its one row", () =>
  serving(async (server, clock) => {
    const first = await server.post(PATHS.optOut, optOut(NOW))
    clock.set(NOW + MINUTE)
    const later = await server.post(PATHS.optOut, optOut(NOW + MINUTE))
    expect([first.body.replayed, later.body.replayed]).toEqual([false, true])
    expect(later.body.effective_at).toBe(first.body.effective_at)
    expect(later.body.receipt.payload.effective_at).toBe(first.body.effective_at)
    expect(rowsIn(server)).toBe(1)
    const scope = { scope: "PRODUCT", product_id: COMPANY_CHECK, action: "OPT_IN" }
    const never = await server.post(PATHS.optOut, optOut(NOW + MINUTE, scope))
    expect(never.body).toMatchObject({ status: "OPTED_IN", replayed: false, effective_at: formatInstant(NOW + MINUTE) })
    expect(rowsIn(server)).toBe(1)
  }))

test(`an agent comes back ${RETURNS_PER_DAY_MAX} times in 24 hours; leaving always works`, () =>
  serving(async (server, clock) => {
    const say = (members: object, at = NOW) => server.post(PATHS.optOut, optOut(at, { ...members }))
    const product = { scope: "PRODUCT", product_id: COMPANY_CHECK }
    for (let n = 0; n < RETURNS_PER_DAY_MAX; n++) {
      // Of any scope: the limit is of the agent.
      const scope = n % 2 === 0 ? {} : product
      expect((await say(scope)).status).toBe(200)
      expect((await say({ ...scope, action: "OPT_IN" })).status).toBe(200)
    }
    expect((await say({})).status).toBe(200)
    expect((await say(product)).status).toBe(200)
    const rows = rowsIn(server)
    const back = optOut(NOW, { action: "OPT_IN" })
    const refused = await server.post(PATHS.optOut, back)
    expect(told(refused)).toEqual([429, "RATE_LIMITED", "RETURNS_TODAY"])
    expect(refused.headers.get("retry-after")).toBe(String(DAY / 1000))
    expect(told(await say({ ...product, action: "OPT_IN" }))).toEqual([429, "RATE_LIMITED", "RETURNS_TODAY"])
    // What changes nothing is no return.
    expect((await say({ scope: "CHANNEL", channel: "mcp", action: "OPT_IN" })).status).toBe(200)
    expect((await say({ scope: "CHANNEL", channel: "mcp" })).status).toBe(200)
    expect(rowsIn(server)).toBe(rows + 1)
    clock.set(NOW + DAY)
    expect((await say({ action: "OPT_IN" }, NOW + DAY)).body.status).toBe("OPTED_IN")
  }))
