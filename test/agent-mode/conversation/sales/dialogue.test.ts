import { expect, test } from "bun:test"
import { AgentDialogueResponse } from "../../../../schemas/agent-mode/dialogue.ts"
import { MultichannelStatus } from "../../../../schemas/agent-mode/multichannel-status.ts"
import { AgentSalesOptOutResult } from "../../../../schemas/agent-mode/opt-out.ts"
import { digestOf } from "../../../../src/core/digest.ts"
import { verifySignature } from "../../../../src/core/ed25519.ts"
import { DAY, formatInstant, HOUR, MINUTE } from "../../../../src/core/time.ts"
import { without } from "../../../../src/core/without.ts"
import { compile } from "../../../../src/http/read-body.ts"
import { recordSwitch } from "../../../../src/store/agent-mode/sales-switches.ts"
import { testKey } from "../../../fixtures/buyers.ts"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { clockAt } from "../../../fixtures/service.ts"
import {
  type Answer,
  COMPANY_CHECK,
  dialogueTurn,
  enterTestAgent,
  openSalesServer,
  optOut,
  PATHS,
  PAYMENT_DECISION,
  type SalesServer,
  type SalesServerOptions,
} from "../../sales-test-server.ts"

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

test("an answer is signed, bound to agent and request, and has the shape of its schema", () =>
  serving(async (server) => {
    const turn = dialogueTurn(NOW, ask("PRICE", ["LIST_PRICE", "CHARGE_RULE", "RAILS"], COMPANY_CHECK))
    const answer = await server.post(PATHS.dialogue, turn)
    expect(answer.status).toBe(200)
    expect(compile(AgentDialogueResponse).Check(answer.body)).toBe(true)
    const { payload, digest, signature } = answer.body
    expect(digest).toBe(digestOf(payload))
    expect(payload.audience).toBe(turn["agent_id"])
    expect(payload.in_reply_to).toBe(digestOf(without(turn as Record<string, unknown>, "signature")))
    const { canonicalize } = await import("../../../../src/core/canonical-json.ts")
    expect(verifySignature(testKey("svc", 9).x, canonicalize(payload), signature.value)).toBe(true)
    expect(codesOf(answer)).toEqual([
      ["LIST_PRICE", "FIXED_PRICE"],
      ["CHARGE_RULE", "PER_SETTLED_DELIVERY"],
      ["RAILS", "X402_EXACT"],
    ])
    expect(payload.answers[0].facts).toContainEqual({ name: "AMOUNT_ATOMIC", value: "40000" })
  }))

test("every question of every topic is answered by one of its codes", () =>
  serving(async (server) => {
    const questions: readonly [string, string[], string | null, string[]][] = [
      ["PRODUCT_FIT", ["FIT", "HUMAN_REVIEW"], PAYMENT_DECISION, ["COVERED", "QUOTE_REVIEW_ONLY"]],
      ["PRICE", ["CHARGE_RULE", "LIST_PRICE"], "svc.agent-id.v1", ["NO_CHARGE", "FREE"]],
      ["PRICE", ["CHARGE_RULE"], PAYMENT_DECISION, ["ONCE_PER_DELIVERED_DECISION"]],
      [
        "COVERAGE",
        ["JURISDICTION", "SOURCES", "SOURCE_HEALTH"],
        COMPANY_CHECK,
        ["US_FEDERAL_ONLY", "SOURCES_LISTED", "ALL_HEALTHY"],
      ],
      ["COVERAGE", ["SOURCE_HEALTH"], null, ["NOT_ALL_HEALTHY"]],
      ["EVIDENCE", ["OFFLINE_VERIFICATION", "REPLAY"], null, ["VERIFIABLE_OFFLINE", "REPLAY_FREE"]],
      ["INTEGRATION", ["IDENTITY"], PAYMENT_DECISION, ["AGENT_ID_REQUIRED"]],
      ["INTEGRATION", ["IDENTITY"], COMPANY_CHECK, ["AGENT_ID_OPTIONAL"]],
      ["INTEGRATION", ["REHEARSAL"], null, ["SANDBOX_OFF"]],
    ]
    for (const [n, [topic, codes, product, expected]] of questions.entries()) {
      const answer = await server.post(
        PATHS.dialogue,
        dialogueTurn(NOW, { dialogue_id: `dialogue-${n}`, ...ask(topic, codes, product) }),
      )
      expect(codesOf(answer).map(([, code]: string[]) => code)).toEqual(expected)
    }
  }))

test("what cannot be answered is named: another topic, an unknown product, one that it does not apply to", () =>
  serving(async (server) => {
    const answer = await server.post(
      PATHS.dialogue,
      dialogueTurn(NOW, {
        topic: "PRICE",
        product_ids: ["unknown.v1"],
        questions: [
          { question_code: "FIT", product_id: null },
          { question_code: "RAILS", product_id: "svc.agent-id.v1" },
          { question_code: "LIST_PRICE", product_id: "other.v1" },
        ],
      }),
    )
    expect(answer.body.payload.unsupported).toEqual([
      { question_code: null, product_id: "unknown.v1", reason_code: "UNKNOWN_PRODUCT" },
      { question_code: "FIT", product_id: null, reason_code: "OTHER_TOPIC" },
      { question_code: "RAILS", product_id: "svc.agent-id.v1", reason_code: "NOT_APPLICABLE" },
      { question_code: "LIST_PRICE", product_id: "other.v1", reason_code: "UNKNOWN_PRODUCT" },
    ])
  }))

test("turns follow each other, and a dialogue ends", () =>
  serving(async (server, clock) => {
    const conflict = (reason: string) => [409, "DIALOGUE_TURN_CONFLICT", reason]
    expect(told(await server.post(PATHS.dialogue, dialogueTurn(NOW, { turn: 1 })))).toEqual(
      conflict("DIALOGUE_UNKNOWN"),
    )
    const digest = `sha256:${"0".repeat(64)}`
    expect(told(await server.post(PATHS.dialogue, dialogueTurn(NOW, { in_reply_to: digest })))).toEqual(
      conflict("IN_REPLY_TO_DIFFERS"),
    )
    const { body } = await server.post(PATHS.dialogue, dialogueTurn(NOW))
    expect(told(await server.post(PATHS.dialogue, dialogueTurn(NOW)))).toEqual(conflict("DIALOGUE_EXISTS"))
    expect(told(await server.post(PATHS.dialogue, dialogueTurn(NOW, { turn: 2, in_reply_to: body.digest })))).toEqual(
      conflict("TURN_DIFFERS"),
    )
    expect(told(await server.post(PATHS.dialogue, dialogueTurn(NOW, { turn: 1, in_reply_to: digest })))).toEqual(
      conflict("IN_REPLY_TO_DIFFERS"),
    )
    clock.set(NOW + DAY)
    expect(
      told(await server.post(PATHS.dialogue, dialogueTurn(NOW + DAY, { turn: 1, in_reply_to: body.digest }))),
    ).toEqual(conflict("DIALOGUE_ENDED"))
  }))

test("twenty dialogues are open, and two hundred turns a day are taken", () =>
  serving(async (server, clock) => {
    for (let n = 0; n < 20; n++) {
      expect((await server.post(PATHS.dialogue, dialogueTurn(NOW, { dialogue_id: `dialogue-${n}` }))).status).toBe(200)
    }
    expect(told(await server.post(PATHS.dialogue, dialogueTurn(NOW, { dialogue_id: "dialogue-20" })))).toEqual([
      409,
      "POLICY_CONFLICT",
      "OPEN_DIALOGUES",
    ])
    server.database.run("DELETE FROM sales_dialogue")
    server.database.run(
      `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 180)
       INSERT INTO agent_message (agent_id, domain, request_digest, response, expires_at, key_mark, nonce_mark)
       SELECT agent_id, domain, 'd', '{}', expires_at, x'', x'' FROM n, (SELECT * FROM agent_message LIMIT 1)`,
    )
    const refused = await server.post(PATHS.dialogue, dialogueTurn(NOW, { dialogue_id: "dialogue-30" }))
    expect(told(refused)).toEqual([429, "RATE_LIMITED", "TURNS_TODAY"])
    expect(refused.headers.get("retry-after")).toBe(String(24 * 60 * 60))
    clock.set(NOW + DAY + MINUTE)
    expect(
      (await server.post(PATHS.dialogue, dialogueTurn(NOW + DAY + MINUTE, { dialogue_id: "dialogue-31" }))).status,
    ).toBe(200)
  }))

test("an opt-out holds at once, in its scope, until the agent's own opt-in", () =>
  serving(async (server) => {
    const left = await server.post(PATHS.optOut, optOut(NOW, { scope: "PRODUCT", product_id: COMPANY_CHECK }))
    expect(left.status).toBe(200)
    expect(compile(AgentSalesOptOutResult).Check(left.body)).toBe(true)
    const answer = await server.post(PATHS.dialogue, dialogueTurn(NOW, ask("PRICE", ["LIST_PRICE"], COMPANY_CHECK)))
    expect(answer.body.payload).toMatchObject({ answers: [], unsupported: [{ reason_code: "OPTED_OUT" }] })
    const offer = await server.post(PATHS.dialogue, dialogueTurn(NOW, { dialogue_id: "dialogue-2", ...wantOffer() }))
    expect(offer.body.payload.answers[0].facts).toEqual([{ name: "REASON", value: "OPTED_OUT" }])
    const all = optOut(NOW)
    const first = await server.post(PATHS.optOut, all)
    expect((await server.post(PATHS.optOut, all)).body).toEqual({ ...first.body, replayed: true })
    expect(told(await server.post(PATHS.dialogue, dialogueTurn(NOW, { dialogue_id: "dialogue-3" })))).toEqual([
      409,
      "OPTED_OUT",
      "OPTED_OUT_OF_ALL",
    ])
    await server.post(PATHS.optOut, optOut(NOW, { action: "OPT_IN" }))
    expect((await server.post(PATHS.dialogue, dialogueTurn(NOW, { dialogue_id: "dialogue-3" }))).status).toBe(200)
    for (const [members, pointer] of [
      [{ scope: "PRODUCT" }, "/product_id"],
      [{ scope: "ALL", channel: "mcp" }, "/channel"],
      [{ scope: "PRODUCT", product_id: "unknown.v1" }, "/product_id"],
    ] as const) {
      const refused = await server.post(PATHS.optOut, optOut(NOW, members))
      expect([refused.status, refused.body.errors[0].pointer]).toEqual([422, pointer])
    }
  }))

test("channels have a state: stopped, unproven, not served, paused or active", () =>
  serving(async (server) => {
    const row = (
      scope: string,
      action: "STOP" | "START" | "WINDOW",
      opens: string | null = null,
      closes: string | null = null,
    ) => server.store.run(() => recordSwitch({ at: formatInstant(NOW), scope, action, opens, closes, reason: "test" }))
    const channels = async () => {
      const { body } = await server.get(PATHS.channels)
      expect(compile(MultichannelStatus).Check(body)).toBe(true)
      return new Map<string, { state: string; schedule: unknown }>(
        body.channels.map((channel: { channel_id: string }) => [channel.channel_id, channel]),
      )
    }
    expect((await channels()).get("external-mcp-registry")?.state).toBe("UNPROVEN")
    expect((await channels()).get("acp-job")?.state).toBe("INACTIVE")
    await row("http-api", "WINDOW", "13:00", "14:00")
    expect((await channels()).get("http-api")).toMatchObject({
      state: "PAUSED",
      schedule: { mode: "DAILY_WINDOW", opens: "13:00", closes: "14:00", next_change_at: formatInstant(NOW + HOUR) },
    })
    const paused = await server.post(PATHS.dialogue, dialogueTurn(NOW))
    expect([...told(paused), paused.headers.get("retry-after")]).toEqual([
      409,
      "CHANNEL_NOT_ALLOWED",
      "CHANNEL_PAUSED",
      "3600",
    ])
    await row("http-api", "WINDOW", "22:00", "12:30")
    expect((await channels()).get("http-api")?.state).toBe("ACTIVE")
    await row("http-api", "STOP")
    expect((await channels()).get("http-api")?.state).toBe("STOPPED")
    expect(told(await server.post(PATHS.dialogue, dialogueTurn(NOW, { channel: "acp-job" })))).toEqual([
      409,
      "CHANNEL_NOT_ALLOWED",
      "CHANNEL_INACTIVE",
    ])
    await row("ALL", "STOP")
    expect((await server.get(PATHS.channels)).body.sales.state).toBe("STOPPED")
  }))

test("sales that are off refuse a dialogue and still take an opt-out", () =>
  serving(
    async (server) => {
      expect(told(await server.post(PATHS.dialogue, dialogueTurn(NOW)))).toEqual([
        409,
        "KILL_SWITCH_ACTIVE",
        "SALES_OFF",
      ])
      expect((await server.post(PATHS.optOut, optOut(NOW))).status).toBe(200)
      const status = await server.get(PATHS.channels)
      const etag = status.headers.get("etag") ?? ""
      expect(status.headers.get("access-control-allow-origin")).toBe("*")
      expect((await server.get(PATHS.channels, { "if-none-match": etag })).status).toBe(304)
    },
    { isOn: { sales: false } },
  ))
