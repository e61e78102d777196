/** Two processes on one database. Once leaving was answered, neither accepts anything of what was left. */
import { expect } from "bun:test"
import { join } from "node:path"
import { freshDirectory } from "../../../fixtures/directories.ts"
import { slowTests } from "../../../fixtures/slow-tests.ts"
import {
  consent,
  dialogueTurn,
  enterTestAgent,
  event,
  openSalesServer,
  optOut,
  PATHS,
  revocation,
  type SalesServer,
} from "../../sales-test-server.ts"

const test = slowTests(import.meta.path)

const MESSAGES = 200

interface Sent {
  readonly status: number
  readonly sentAfterLeaving: boolean
}

type Post = (path: string, body: unknown) => Promise<number>

async function withTwoProcesses(work: (own: SalesServer, other: Post) => Promise<void>): Promise<void> {
  using directory = freshDirectory()
  const path = `${directory.path}/bizauth.db`
  const own = openSalesServer(path)
  await enterTestAgent(own, Date.now())
  const child = Bun.spawn([process.execPath, join(import.meta.dir, "sales-process.ts"), path], {
    stdin: "pipe",
    stdout: "pipe",
    stderr: "inherit",
  })
  try {
    let origin = ""
    for await (const chunk of child.stdout) {
      origin += new TextDecoder().decode(chunk)
      if (origin.endsWith("\n")) break
    }
    await work(own, async (to, body) => {
      const headers = { "content-type": "application/json" }
      const answer = await fetch(origin.trim() + to, { method: "POST", headers, body: JSON.stringify(body) })
      await answer.arrayBuffer()
      return answer.status
    })
  } finally {
    child.stdin.end()
    await child.exited
    await own.close()
  }
}

/** Sends messages over both processes in turn, eight at a time, and leaves through the first one after a quarter of them. */
async function race(
  own: SalesServer,
  other: Post,
  messages: readonly (readonly [string, unknown])[],
  leave: () => Promise<number>,
) {
  const sent: Sent[] = []
  let next = 0
  let hasLeft = false
  let leaving: Promise<void> | null = null
  const worker = async () => {
    for (let n = next++; n < messages.length; n = next++) {
      if (n === messages.length >> 2) {
        leaving = leave().then((status) => {
          expect(status).toBe(200)
          hasLeft = true
        })
      }
      const [path, body] = messages[n] as readonly [string, unknown]
      const sentAfterLeaving = hasLeft
      const status = n % 2 === 0 ? (await own.post(path, body)).status : await other(path, body)
      sent.push({ status, sentAfterLeaving })
    }
  }
  await Promise.all(Array.from({ length: 8 }, worker))
  await leaving
  return sent
}

test(
  `no event of ${MESSAGES} over two processes is accepted after the revocation was answered`,
  () =>
    withTwoProcesses(async (own, other) => {
      const at = Date.now()
      expect((await own.post(PATHS.consents, consent(at))).status).toBe(201)
      const events = Array.from({ length: MESSAGES }, () => [PATHS.events, event(at)] as const)
      const sent = await race(own, other, events, async () => (await own.post(PATHS.revoke(), revocation(at))).status)
      const accepted = sent.filter(({ status }) => status === 202)
      expect(accepted.length).toBeGreaterThan(10)
      expect(sent.filter(({ sentAfterLeaving }) => sentAfterLeaving).length).toBeGreaterThan(50)
      expect(sent.filter(({ status, sentAfterLeaving }) => sentAfterLeaving && status !== 409)).toEqual([])
      expect(new Set(sent.map(({ status }) => status))).toEqual(new Set([202, 409]))
      const rows = (table: string) => own.database.query(`SELECT sum(events) AS events FROM ${table}`).get()
      expect(rows("beacon_count")).toEqual({ events: accepted.length })
      expect(rows("beacon_consent_day")).toEqual({ events: accepted.length })
      // What was counted was received before the revocation took effect in the order of commits.
      expect(own.database.query("SELECT count(event_mark) AS kept FROM agent_message").get()).toEqual({
        kept: accepted.length,
      })
    }),
  60_000,
)

test(
  "no turn of a running dialogue over two processes is answered after the opt-out was",
  () =>
    withTwoProcesses(async (own, other) => {
      const at = Date.now()
      const turns = Array.from(
        { length: 60 },
        (_, n) =>
          [
            PATHS.dialogue,
            dialogueTurn(at, {
              dialogue_id: `dialogue-${n % 15}-${n}`,
              topic: "OFFER_REQUEST",
              questions: [{ question_code: "OFFER", product_id: null }],
            }),
          ] as const,
      )
      const sent = await race(own, other, turns, async () => (await own.post(PATHS.optOut, optOut(at))).status)
      expect(sent.filter(({ status }) => status === 200).length).toBeGreaterThan(3)
      expect(sent.filter(({ sentAfterLeaving }) => sentAfterLeaving).length).toBeGreaterThan(15)
      expect(sent.filter(({ status, sentAfterLeaving }) => sentAfterLeaving && status !== 409)).toEqual([])
      // Both processes offered each product once: every other answer gave the same capsule again.
      expect(own.database.query("SELECT count(*) AS offers FROM sales_offer").get()).toEqual({ offers: 2 })
    }),
  60_000,
)

test(
  "a running dialogue ends with the opt-out, whatever process answered its last turn",
  () =>
    withTwoProcesses(async (own, other) => {
      const at = Date.now()
      const first = await own.post(PATHS.dialogue, dialogueTurn(at))
      const next = dialogueTurn(at, { turn: 1, in_reply_to: first.body.digest })
      expect(await other(PATHS.dialogue, next)).toBe(200)
      expect(await other(PATHS.optOut, optOut(at))).toBe(200)
      expect((await own.post(PATHS.dialogue, next)).status).toBe(409)
    }),
  60_000,
)
