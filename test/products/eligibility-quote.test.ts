/**
 * Eligibility and quote always agree: for each generated request the quote is refused exactly if a line fails, with the code of the first
 * one.
 */
import { afterAll, beforeAll, expect, setDefaultTimeout } from "bun:test"
import fc from "fast-check"
import type { AnswerEligibilityResponse } from "../../schemas/eligibility.ts"
import { VENDOR_CHANGE_PRODUCT, type VendorChangeRequest } from "../../schemas/us/vendor-change.ts"
import { HOUR } from "../../src/core/time.ts"
import { ANSWER_RULES } from "../../src/products/products.ts"
import { enterAgent, testKey } from "../fixtures/buyers.ts"
import { NO_SUCH_DAY } from "../fixtures/invalid-bodies.ts"
import { isScreened } from "../fixtures/name-members.ts"
import { PRODUCT_ROWS, type ProductRow, purchaseOf, type Requested } from "../fixtures/products.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import { variations } from "../fixtures/variations.ts"
import { changeKey, signedAgain } from "../fixtures/vendor-change.ts"
import { openProductServers, type ProductServers } from "./product-servers.ts"

const test = slowTests(import.meta.path)

setDefaultTimeout(120_000)
const RUNS = 120
const strangerId = `svc:agent:${"q".repeat(32)}`
const stranger = testKey(strangerId, 93)
const unknown = testKey(`svc:agent:${"y".repeat(32)}`, 94)

const EACH = ANSWER_RULES.map(({ id }) => [id, PRODUCT_ROWS.find((row) => row.id === id) as ProductRow] as const)

let servers: ProductServers
beforeAll(async () => {
  servers = await openProductServers()
  await enterAgent(servers.servers[0].database, Date.now() - HOUR, stranger, strangerId)
})
afterAll(() => servers.close())

type Members = Record<string, unknown>

/** A day that does not exist in place of the first date-time. */
const withoutDay = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/"\d{4}-\d\d-\d\dT[^"]*"/, `"${NO_SUCH_DAY}"`))

/** Each case with its change to a valid body. */
function changesOf(row: ProductRow): Members[] {
  const body = row.body() as unknown as Members
  const near = [...variations(row.request, body)] as Members[]
  const refused = Object.values(row.refused).map(([, make]) => make() as Members)
  const undated = Object.entries(body).map(([name, member]) => ({ ...body, [name]: withoutDay(member) }))
  return [...near, ...refused, ...undated].map((changed) =>
    Object.fromEntries(
      Object.entries(changed).filter(([name, member]) => JSON.stringify(member) !== JSON.stringify(body[name])),
    ),
  )
}

/** The signer: unchanged, the delegated key, an agent without a delegation, an unknown agent. */
function signed(row: ProductRow, body: Members, by: number): Members {
  if (row.id !== VENDOR_CHANGE_PRODUCT || by === 0) return body
  const key = [changeKey, stranger, unknown][by - 1] ?? changeKey
  const request = body as unknown as VendorChangeRequest
  const agent = { ...request.requesting_agent, agent_id: key.issuer, key_id: key.keyId }
  return signedAgain({ ...request, requesting_agent: agent }, key) as unknown as Members
}

test.each(EACH)("%s", async (_id, row) => {
  const changes = changesOf(row)
  const [server] = servers.servers
  const seen = new Set<string>()
  const property = fc.asyncProperty(
    fc.array(fc.nat({ max: changes.length - 1 }), { maxLength: 3 }),
    fc.constantFrom(1, 1, 1, 0, 2, 3),
    fc.option(fc.constantFrom(...row.sourceFaults), { freq: 6 }),
    async (chosen, signer, fault) => {
      const made = Object.assign({ ...row.body() }, ...chosen.map((index) => changes[index])) as Members
      const body = signed(row, made, signer)
      const { path, body: text, headers } = purchaseOf(row, body as unknown as Requested)
      await servers.broken(fault?.broken ?? {}, async () => {
        const quote = await server.post(text, headers, path)
        const eligibility = await server.post(text, {}, `${path}/eligibility`)
        if (eligibility.status === 422) {
          // Fails the closed schema, which both routes check first.
          const codes = await Promise.all([quote, eligibility].map(async (answer) => (await answer.json()) as Members))
          expect([quote.status, codes[0]?.["code"]]).toEqual([422, codes[1]?.["code"]])
          return
        }
        expect(eligibility.status).toBe(200)
        const { checks, eligible } = (await eligibility.json()) as AnswerEligibilityResponse
        const failed = checks.find(({ state }) => state === "FAILED")
        const said = quote.status === 402 ? null : ((await quote.json()) as { code?: string; reason_codes: string[] })
        if (said && isScreened(said)) {
          seen.add("NAME_SCRIPT_UNSUPPORTED")
          return
        }
        expect([quote.status === 402, eligible]).toEqual([failed === undefined, failed === undefined])
        if (!failed || !said) return
        const code = said.code ?? said.reason_codes[0] ?? ""
        seen.add(code)
        // Eligibility tells nothing about an agent's key to a caller that has not proved it (rulings 28), except that the signature does
        // not verify.
        const isUntold = failed.check_id === "REQUEST_SIGNATURE" && ["AGENT_NOT_FOUND", "KEY_NOT_ACTIVE"].includes(code)
        if (!isUntold) expect(failed.code).toBe(code)
      })
    },
  )
  await fc.assert(property, { numRuns: RUNS, seed: 20261122 })
  expect(seen.size).toBeGreaterThanOrEqual(3)
})
