import { expect } from "bun:test"
import { markOf } from "../../src/agent-mode/conversation/messages/message-marks.ts"
import { type KeptMessage, keepMessage, purgeMessages } from "../../src/store/agent-mode/messages.ts"
import { PURGED_AT_ONCE } from "../../src/store/purge.ts"
import { newStore } from "../fixtures/new-store.ts"
import { slowTests } from "../fixtures/slow-tests.ts"
import {
  AGENT,
  at,
  eventOf,
  factsOf,
  keptBy,
  keyOf,
  type Messages,
  marksOf,
  type Named,
  nonceOf,
} from "./agent-message-rows.ts"

const test = slowTests(import.meta.path)

async function withMessages(use: (messages: Messages) => Promise<void>): Promise<void> {
  await using opened = await newStore()
  await use(opened)
}

function message(name: string, expiresAt: string, named: Named = {}): KeptMessage {
  const answered = { requestDigest: "digest", response: `${name} until ${expiresAt}`, expiresAt }
  return { agentId: AGENT, domain: "domain", ...answered, ...marksOf(name, named) }
}

const keep = ({ store }: Messages, kept: KeptMessage, now = at(0)) => store.run(() => keepMessage(kept, now))

test("a mark has 20 bytes, begins with the end of the agent's id, and differs by each member", () => {
  expect(Buffer.from(keyOf("a")).toString("hex")).toStartWith(Buffer.from("qqqqqq", "base64url").toString("hex"))
  const other = `svc:agent:${"B".repeat(26)}qqqqqq`
  const marks = [
    keyOf("a"),
    keyOf("b"),
    markOf({ agent_id: AGENT, domain: "other", idempotency_key: "a" }),
    markOf({ agent_id: other, domain: "domain", idempotency_key: "a" }),
    nonceOf("a"),
    markOf({ agent_id: AGENT, key_id: "other", nonce: "a" }),
    eventOf("a"),
  ]
  expect(new Set(marks.map((mark) => Buffer.from(mark).toString("hex"))).size).toBe(marks.length)
  expect(new Set(marks.map(({ byteLength }) => byteLength))).toEqual(new Set([20]))
})

test("an answer is found until it ends", () =>
  withMessages(async (messages) => {
    await keep(messages, message("a", at(10)))
    expect((await factsOf(messages, "a", at(9))).earlier).toEqual({
      requestDigest: "digest",
      response: `a until ${at(10)}`,
    })
    expect((await factsOf(messages, "a", at(10))).earlier).toBeNull()
    expect((await factsOf(messages, "b", at(9))).earlier).toBeNull()
  }))

test("a nonce is spent until its message ends, whether or not the message was removed", () =>
  withMessages(async (messages) => {
    await keep(messages, message("a", at(10), { nonce: "n" }))
    expect((await factsOf(messages, "b", at(9), { nonce: "n" })).isNonceSpent).toBe(true)
    expect((await factsOf(messages, "b", at(10), { nonce: "n" })).isNonceSpent).toBe(false)
    await keep(messages, message("b", at(20), { nonce: "n" }), at(10))
    expect((await factsOf(messages, "c", at(11), { nonce: "n" })).isNonceSpent).toBe(true)
    expect((await factsOf(messages, "b", at(9))).isNonceSpent).toBe(false)
    expect(await messages.store.run(() => purgeMessages(at(10)))).toBe(1)
    expect((await factsOf(messages, "c", at(11), { nonce: "n" })).isNonceSpent).toBe(true)
  }))

test("an event has the end of the message that counted it, until a later message counts it", () =>
  withMessages(async (messages) => {
    await keep(messages, message("a", at(10), { event: "e" }))
    await keep(messages, message("b", at(10)))
    expect((await factsOf(messages, "c", at(9), { event: "e" })).countedUntil).toBe(at(10))
    expect((await factsOf(messages, "c", at(11), { event: "e" })).countedUntil).toBe(at(10))
    expect((await factsOf(messages, "c", at(9), { event: "other" })).countedUntil).toBeNull()
    expect((await factsOf(messages, "c", at(9))).countedUntil).toBeNull()
    await keep(messages, message("c", at(20), { event: "e" }), at(11))
    expect((await factsOf(messages, "d", at(11), { event: "e" })).countedUntil).toBe(at(20))
  }))

test("no message takes the key, the nonce or the event of one that has not ended", () =>
  withMessages(async (messages) => {
    await keep(messages, message("a", at(10), { nonce: "n", event: "e" }))
    for (const other of [
      message("a", at(20), { nonce: "n2", event: "e2" }),
      message("a", at(20), { nonce: "n2" }),
      message("b", at(20), { nonce: "n" }),
      message("b", at(20), { nonce: "n2", event: "e" }),
    ]) {
      await expect(keep(messages, other, at(9))).rejects.toThrow("mark of another that has not ended")
    }
    expect(await keptBy(messages)).toEqual({ names: ["a"], marks: 3 })
  }))

test("a key that is used again after its end finds the newer answer, also when the older one is removed", () =>
  withMessages(async (messages) => {
    await keep(messages, message("a", at(10), { nonce: "n1", event: "e1" }))
    await keep(messages, message("a", at(60), { nonce: "n2", event: "e2" }), at(30))
    expect((await factsOf(messages, "a", at(30))).earlier?.response).toBe(`a until ${at(60)}`)
    expect(await keptBy(messages)).toEqual({ names: ["a", "a"], marks: 5 })
    expect(await messages.store.run(() => purgeMessages(at(30)))).toBe(1)
    expect((await factsOf(messages, "a", at(30))).earlier?.response).toBe(`a until ${at(60)}`)
    expect((await factsOf(messages, "b", at(30), { nonce: "n1", event: "e1" })).isNonceSpent).toBe(false)
    expect((await factsOf(messages, "b", at(30), { nonce: "n2", event: "e1" })).countedUntil).toBeNull()
    expect(await keptBy(messages)).toEqual({ names: ["a"], marks: 3 })
  }))

test("a purge removes ended messages with their marks, oldest first and a bounded number at once; a new message removes none", () =>
  withMessages(async (messages) => {
    const count = PURGED_AT_ONCE + 10
    for (let n = 0; n < count; n++) await keep(messages, message(`m${n}`, at(10), { event: `e${n}` }))
    await keep(messages, message("live", at(50)))
    expect(await messages.store.run(() => purgeMessages(at(9)))).toBe(0)
    expect(await messages.store.run(() => purgeMessages(at(10)))).toBe(PURGED_AT_ONCE)
    const left = Array.from({ length: 10 }, (_, n) => `m${PURGED_AT_ONCE + n}`)
    expect(await keptBy(messages)).toEqual({ names: [...left, "live"], marks: 10 * 3 + 2 })
    await keep(messages, message("new", at(60)), at(10))
    expect(await keptBy(messages)).toEqual({ names: [...left, "live", "new"], marks: 10 * 3 + 4 })
    expect(await messages.store.run(() => purgeMessages(at(10)))).toBe(10)
    expect(await keptBy(messages)).toEqual({ names: ["live", "new"], marks: 4 })
  }))

test("a message with a later end holds back none behind it; as many as one purge reads do, until one of them ends", () =>
  withMessages(async (messages) => {
    const purge = (minute: number) => messages.store.run(() => purgeMessages(at(minute)))
    await keep(messages, message("clock was ahead", at(40)))
    for (let n = 0; n < PURGED_AT_ONCE; n++) await keep(messages, message(`a${n}`, at(30)))
    expect([await purge(30), await purge(30), await purge(30)]).toEqual([PURGED_AT_ONCE - 1, 1, 0])
    for (let n = 1; n < PURGED_AT_ONCE; n++) await keep(messages, message(`b${n}`, at(50)))
    for (let n = 0; n < 2; n++) await keep(messages, message(`c${n}`, at(35)))
    expect([await purge(39), await purge(40), await purge(40), await purge(40)]).toEqual([0, 1, 1, 1])
  }))
