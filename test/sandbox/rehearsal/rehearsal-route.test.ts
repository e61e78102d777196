import { afterAll, beforeAll, expect } from "bun:test"
import { JOURNEYS_PATH, JourneyResponse } from "../../../schemas/agent-mode/journeys.ts"
import type { SettingName } from "../../../src/base/config.ts"
import { realMachine } from "../../../src/base/machine.ts"
import { compile } from "../../../src/http/read-body.ts"
import { routes } from "../../../src/server/app.ts"
import { countEffects, NO_EFFECT_COUNTED } from "../../agent-mode/effects.ts"
import { BASE_URL, testServiceOn } from "../../fixtures/service.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { openRehearsalOperator, type RehearsalOperator } from "./rehearsal-operator.ts"

const test = slowTests(import.meta.path)

const MINUTE_MS = 60_000
const DRAFT = { supplier: { legal_name: "Harbor Light Instruments LLC", identifiers: { uei: "ZQGGHJH74DW7" } } }
let operator: RehearsalOperator
beforeAll(async () => {
  operator = await openRehearsalOperator()
}, MINUTE_MS)
afterAll(() => operator[Symbol.dispose]())

let serial = 0
const wish = (changes: object = {}) => ({
  schema_version: "1.0.0",
  contract_version: "1.0.0",
  environment: "SANDBOX",
  journey: "REHEARSAL",
  seed: 5,
  clock: null,
  idempotency_key: `rehearsal-${++serial}`,
  rehearsal: { product_id: "decision-gate.release-payment-to-supplier.v1", request: DRAFT },
  ...changes,
})

async function served(settings: Partial<Record<SettingName, string>>) {
  const { service } = await testServiceOn(operator.data, realMachine, { rate_limits: "off", ...settings })
  const app = routes(service)
  return {
    ask: async (body: object) => {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) }
      const response = await app.handle(new Request(BASE_URL + JOURNEYS_PATH, init))
      return { status: response.status, body: (await response.json()) as Record<string, unknown> }
    },
    [Symbol.asyncDispose]: () => service.close(),
  }
}

test("off by default: 403, whatever the draft", async () => {
  await using service = await served({})
  const { status, body } = await service.ask(wish())
  expect([status, body["code"]]).toEqual([403, "ECONOMIC_ISOLATION"])
})

test(
  "on: the same payload as of the command, for the same draft, seed, clock and lists",
  async () => {
    await using service = await served({ sandbox_rehearsal: "on" })
    const clock = new Date().toISOString()
    const { status, body } = await service.ask(wish({ clock }))
    expect(status).toBe(200)
    expect(compile(JourneyResponse).Errors(body).First()).toBeUndefined()
    const { product_id } = wish().rehearsal
    const { out } = await operator.rehearse(DRAFT, "--product", product_id, "--seed", "5", "--clock", clock, "--json")
    const { payload, artifacts } = JSON.parse(out) as JourneyResponse
    const answer = body as unknown as JourneyResponse
    expect(answer.payload).toEqual(payload)
    expect(answer.artifacts.map(({ digest }) => digest)).toEqual(artifacts.map(({ digest }) => digest))
  },
  MINUTE_MS,
)

test(
  "without a clock the lists are judged now; nothing is read, called or stored",
  async () => {
    await using service = await served({ sandbox_rehearsal: "on" })
    await service.ask(wish())
    const before = Date.now()
    let clock = ""
    const effects = await countEffects(operator.data, async () => {
      const { status, body } = await service.ask(wish())
      expect(status).toBe(200)
      clock = (body as unknown as JourneyResponse).payload.clock
    })
    expect(Date.parse(clock)).toBeGreaterThanOrEqual(before)
    expect(effects).toEqual(NO_EFFECT_COUNTED)
  },
  MINUTE_MS,
)

test(
  "an unknown product, a draft without party and raw bank data are 422",
  async () => {
    await using service = await served({ sandbox_rehearsal: "on" })
    const refused = async (product_id: string, request: object) => {
      const { status, body } = await service.ask(wish({ rehearsal: { product_id, request } }))
      return [status, body["code"], (body["errors"] as { pointer: string }[])[0]?.pointer]
    }
    const { product_id } = wish().rehearsal
    const iban = { ...DRAFT, economic_purpose: "pay GB33BUKB20201555555555" }
    expect(await refused("svc.none.v1", DRAFT)).toEqual([422, "SCHEMA_INVALID", "/rehearsal/product_id"])
    expect(await refused(product_id, {})).toEqual([422, "SCHEMA_INVALID", "/rehearsal/request/supplier/identifiers"])
    expect(await refused(product_id, iban)).toEqual([
      422,
      "RAW_BANK_DATA_REJECTED",
      "/rehearsal/request/economic_purpose",
    ])
    expect(await refused(product_id, { ...iban, amount: 5 })).toEqual([
      422,
      "RAW_BANK_DATA_REJECTED",
      "/rehearsal/request/economic_purpose",
    ])
  },
  MINUTE_MS,
)
