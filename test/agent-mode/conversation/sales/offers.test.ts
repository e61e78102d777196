import { describe, expect } from "bun:test"
import { OfferStatus } from "../../../../schemas/agent-mode/offer.ts"
import { purgeExpired } from "../../../../src/agent-mode/purge-expired.ts"
import { DAY } from "../../../../src/core/time.ts"
import { compile } from "../../../../src/http/read-body.ts"
import { testKey } from "../../../fixtures/buyers.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { clockAt } from "../../../fixtures/service.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import {
  type Answer,
  COMPANY_CHECK,
  dialogueTurn,
  enterTestAgent,
  openSalesServer,
  optOut,
  PATHS,
  type SalesServer,
  type SalesServerOptions,
} from "../../sales-test-server.ts"

const test = slowTests(import.meta.path)

const NOW = Date.UTC(2026, 3, 1, 12)

async function serving(
  work: (server: SalesServer, clock: ReturnType<typeof clockAt>) => Promise<void>,
  options: SalesServerOptions = {},
): Promise<void> {
  using directory = freshDirectory()
  const clock = clockAt(NOW)
  const server = openSalesServer(`${directory.path}/bizauth.db`, { machine: clock, ...options })
  await enterTestAgent(server, NOW)
  try {
    await work(server, clock)
  } finally {
    await server.close()
  }
}

const told = ({ status, body }: Answer) => [status, body.code, body.reason_codes?.[0] ?? null]
const ask = (topic: string, codes: readonly string[], product_id: string | null = null) => ({
  topic,
  questions: codes.map((question_code) => ({ question_code, product_id })),
})
const wantOffer = (product: string | null = COMPANY_CHECK) => ask("OFFER_REQUEST", ["OFFER"], product)
const codesOf = ({ body }: Answer) =>
  body.payload.answers.map((answer: { question_code: string; answer_code: string }) => [
    answer.question_code,
    answer.answer_code,
  ])

test("an offer moves forward only: queued, given again, delivered by the next turn, paid by our own records", () =>
  serving(async (server, clock) => {
    const turn = dialogueTurn(NOW, wantOffer())
    const first = await server.post(PATHS.dialogue, turn)
    const [offer] = first.body.payload.offers
    const id: string = offer.payload.offer_capsule_id
    const state = async () => {
      const { body } = await server.get(PATHS.offer(id))
      expect(compile(OfferStatus).Check(body)).toBe(true)
      return [body.state, body.presentations]
    }
    expect(await state()).toEqual(["QUEUED", 1])
    expect(await server.post(PATHS.dialogue, turn)).toMatchObject({ body: first.body })
    expect(await state()).toEqual(["RETRYING", 2])
    const other = await server.post(PATHS.dialogue, dialogueTurn(NOW, { dialogue_id: "dialogue-2", ...wantOffer() }))
    expect([codesOf(other), other.body.payload.offers]).toEqual([[["OFFER", "OFFER_REPEATED"]], [offer]])
    expect(await state()).toEqual(["RETRYING", 3])
    for (let n = 3; n <= 4; n++)
      await server.post(PATHS.dialogue, dialogueTurn(NOW, { dialogue_id: `dialogue-${n}`, ...wantOffer() }))
    const fifth = await server.post(PATHS.dialogue, dialogueTurn(NOW, { dialogue_id: "dialogue-5", ...wantOffer() }))
    expect(fifth.body.payload.answers[0].facts).toEqual([{ name: "REASON", value: "REPEATED_TOO_OFTEN" }])

    const next = dialogueTurn(NOW, { turn: 1, in_reply_to: first.body.digest, ...wantOffer() })
    expect(codesOf(await server.post(PATHS.dialogue, next))).toEqual([["OFFER", "OFFER_MINTED"]])
    expect(await state()).toEqual(["DELIVERED", 5])
    server.database.run(
      `INSERT INTO decision_request (id, product, scope, idempotency_key, request_digest, body_digest, request_json, state, created_at, updated_at)
       VALUES ('drq_1', '${COMPANY_CHECK}', 'payer', '${id}', 'd', 'd', '{}', 'DELIVERED', '', '')`,
    )
    expect(await state()).toEqual(["PAID", 5])
    clock.set(NOW + 2 * DAY)
    expect((await server.get(PATHS.offer(id))).body.expired).toBe(true)
    clock.set(NOW + 92 * DAY)
    expect(told(await server.get(PATHS.offer(id)))).toEqual([404, "OFFER_NOT_FOUND", null])
    for (const unknown of [`ofr_${"a".repeat(22)}`, "nothing", "%20"]) {
      expect((await server.get(PATHS.offer(unknown))).body.code).toBe("OFFER_NOT_FOUND")
    }
    await purgeExpired({ store: server.store, now: () => NOW + 92 * DAY })
    expect(server.database.query("SELECT count(*) AS n FROM sales_offer").get()).toEqual({ n: 0 })
    expect(server.database.query("SELECT count(*) AS n FROM agent_message").get()).toEqual({ n: 0 })
  }))

test("an acknowledged offer is delivered; another agent's is not", () =>
  serving(async (server) => {
    const first = await server.post(PATHS.dialogue, dialogueTurn(NOW, wantOffer()))
    const id: string = first.body.payload.offers[0].payload.offer_capsule_id
    server.database.run("UPDATE sales_offer SET agent_id = 'other'")
    await server.post(PATHS.dialogue, dialogueTurn(NOW, { dialogue_id: "dialogue-2", acknowledged_offers: [id] }))
    expect((await server.get(PATHS.offer(id))).body.state).toBe("QUEUED")
    server.database.run("UPDATE sales_offer SET agent_id = (SELECT agent_id FROM agent)")
    await server.post(PATHS.dialogue, dialogueTurn(NOW, { dialogue_id: "dialogue-3", acknowledged_offers: [id] }))
    expect((await server.get(PATHS.offer(id))).body.state).toBe("DELIVERED")
  }))

test("an agent that acknowledges each offer has ten of a product at most, until the first ones end", () =>
  serving(async (server, clock) => {
    let turn = 0
    let in_reply_to: string | null = null
    const next = async () => {
      const members = { turn: turn++, in_reply_to, ...wantOffer() }
      const answer = await server.post(PATHS.dialogue, dialogueTurn(NOW, members))
      in_reply_to = answer.body.digest
      return answer.body.payload.answers[0]
    }
    for (let n = 0; n < 10; n++) expect((await next()).answer_code).toBe("OFFER_MINTED")
    const none = { answer_code: "NO_OFFER", facts: [{ name: "REASON", value: "REPEATED_TOO_OFTEN" }] }
    expect(await next()).toMatchObject(none)
    expect(server.database.query("SELECT count(*) AS n FROM sales_offer").get()).toEqual({ n: 10 })
    clock.set(NOW + DAY)
    const later = dialogueTurn(NOW + DAY, { dialogue_id: "dialogue-later", ...wantOffer() })
    expect(codesOf(await server.post(PATHS.dialogue, later))).toEqual([["OFFER", "OFFER_MINTED"]])
  }))

describe("there is no offer", () => {
  const cases: readonly [string, Record<string, unknown>, SalesServerOptions, string][] = [
    ["of a free product", wantOffer("svc.agent-id.v1"), {}, "FREE_PRODUCT"],
    ["while payments are off", wantOffer(), { catalogue: { network: () => null } }, "NOT_SOLD_NOW"],
    ["while nothing is sold", wantOffer(), { catalogue: { isReady: () => false } }, "NOT_SOLD_NOW"],
    [
      "over the agent's limit",
      { ...wantOffer(), constraints: { max_amount_atomic: "39999", asset: "USDC", network: "eip155:8453" } },
      {},
      "OVER_CONSTRAINT",
    ],
  ]
  test.each(cases)("%s", (_name, members, options, reason) =>
    serving(async (server) => {
      const { payload } = (await server.post(PATHS.dialogue, dialogueTurn(NOW, members))).body
      expect(payload.answers[0]).toMatchObject({ answer_code: "NO_OFFER", facts: [{ name: "REASON", value: reason }] })
      expect(payload.offers).toEqual([])
    }, options),
  )
})

test("an answer about a product that the agent has left since is not given again", () =>
  serving(async (server) => {
    const turn = dialogueTurn(NOW, wantOffer())
    const first = await server.post(PATHS.dialogue, turn)
    const [offer] = first.body.payload.offers
    const left = await server.post(PATHS.optOut, optOut(NOW, { scope: "PRODUCT", product_id: COMPANY_CHECK }))
    expect(left.status).toBe(200)
    expect(told(await server.post(PATHS.dialogue, turn))).toEqual([409, "OPTED_OUT", "OPTED_OUT_OF_PRODUCT"])
    const { body } = await server.get(PATHS.offer(offer.payload.offer_capsule_id))
    expect([body.state, body.presentations]).toEqual(["QUEUED", 1])
  }))

describe("an offer that no longer holds is not given again, and another one is made", () => {
  const sold = (price: string, priceAtomic: bigint) => [
    {
      id: COMPANY_CHECK,
      price,
      priceAtomic,
      reviewDuty: "REVIEW_QUOTE_BEFORE_PAYMENT" as const,
      owner: "PAYER" as const,
    },
  ]
  const cases: readonly [string, SalesServerOptions, Record<string, unknown>][] = [
    ["after another price", { catalogue: { sold: sold("0.05", 50_000n) } }, { amount: "0.05", amount_atomic: "50000" }],
    ["on another network", { catalogue: { network: () => "eip155:84532" } }, { network: "eip155:84532" }],
    ["at another address", { baseUrl: "https://svc2.example" }, {}],
  ]
  test.each(cases)("%s", async (_name, changes, price) => {
    using directory = freshDirectory()
    const path = `${directory.path}/bizauth.db`
    const machine = clockAt(NOW)
    const before = openSalesServer(path, { machine, catalogue: { sold: sold("0.04", 40_000n) } })
    await enterTestAgent(before, NOW)
    const turn = dialogueTurn(NOW, wantOffer())
    const first = await before.post(PATHS.dialogue, turn)
    const [old] = first.body.payload.offers
    await before.close()

    const after = openSalesServer(path, { machine, catalogue: { sold: sold("0.04", 40_000n) }, ...changes })
    const by = changes.baseUrl === undefined ? {} : { audience: changes.baseUrl }
    const ask = (members: object) => after.post(PATHS.dialogue, dialogueTurn(NOW, { ...wantOffer(), ...members }, by))
    // The same bytes are of the old address there.
    if (changes.baseUrl === undefined) {
      expect(told(await after.post(PATHS.dialogue, turn))).toEqual([409, "POLICY_CONFLICT", "OFFER_NOT_CURRENT"])
    }
    const other = await ask({ dialogue_id: "dialogue-2" })
    expect(codesOf(other)).toEqual([["OFFER", "OFFER_MINTED"]])
    const [offer] = other.body.payload.offers
    expect(offer.payload.price).toMatchObject({ ...old.payload.price, ...price })
    expect(offer.payload.offer_capsule_id).not.toBe(old.payload.offer_capsule_id)
    // The new one is given again, and the old one stays as it was.
    const again = await ask({ dialogue_id: "dialogue-3" })
    expect([codesOf(again), again.body.payload.offers]).toEqual([[["OFFER", "OFFER_REPEATED"]], [offer]])
    const { body } = await after.get(PATHS.offer(old.payload.offer_capsule_id))
    expect([body.state, body.presentations]).toEqual(["QUEUED", 1])
    await after.close()
  })

  test("after its key was revoked; the whole answer of that key is not given again either", () => {
    const [old, next] = [testKey("svc", 9), testKey("svc", 10)]
    let signing = old
    let oldStatus: "ACTIVE" | "ROTATED" | "REVOKED" = "ACTIVE"
    const keys = {
      signer: () => signing,
      findKey: (keyId: string) => ({ status: keyId === old.keyId ? oldStatus : ("ACTIVE" as const) }),
    }
    return serving(
      async (server) => {
        const turn = dialogueTurn(NOW, wantOffer())
        const first = await server.post(PATHS.dialogue, turn)
        signing = next
        oldStatus = "ROTATED"
        expect((await server.post(PATHS.dialogue, turn)).body).toEqual(first.body)
        const rotated = await server.post(
          PATHS.dialogue,
          dialogueTurn(NOW, { dialogue_id: "d-rotated", ...wantOffer() }),
        )
        expect(codesOf(rotated)).toEqual([["OFFER", "OFFER_REPEATED"]])
        oldStatus = "REVOKED"
        expect(told(await server.post(PATHS.dialogue, turn))).toEqual([409, "POLICY_CONFLICT", "ANSWER_KEY_REVOKED"])
        const other = dialogueTurn(NOW, { dialogue_id: "d-revoked", ...wantOffer() })
        const minted = await server.post(PATHS.dialogue, other)
        expect(codesOf(minted)).toEqual([["OFFER", "OFFER_MINTED"]])
        expect(minted.body.payload.offers[0].signature.key_id).toBe(next.keyId)
      },
      { keys },
    )
  })

  test("while nothing is sold", async () => {
    let network: string | null = "eip155:8453"
    await serving(
      async (server) => {
        const turn = dialogueTurn(NOW, wantOffer())
        const first = await server.post(PATHS.dialogue, turn)
        network = null
        expect(told(await server.post(PATHS.dialogue, turn))).toEqual([409, "POLICY_CONFLICT", "OFFER_NOT_CURRENT"])
        network = "eip155:8453"
        expect((await server.post(PATHS.dialogue, turn)).body).toEqual(first.body)
      },
      { catalogue: { network: () => network } },
    )
  })
})
