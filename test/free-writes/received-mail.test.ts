/** Received messages: one domain does not fill what waits, and an opt-out arrives while the disk is kept for sales. */
import { afterEach, beforeEach, expect, test } from "bun:test"
import { freeWrites } from "../../src/http/free-writes.ts"
import { receiveMessage } from "../../src/mail/receive.ts"
import { handleRound } from "../../src/mail/rounds.ts"
import { findContactStop } from "../../src/store/contact/contact-stops.ts"
import { MAIL_WAITING_MAX } from "../../src/store/mail/mail-in.ts"
import { INTENT } from "../contact/contact-service.ts"
import { freshDirectory } from "../fixtures/directories.ts"
import { changedCaps } from "../fixtures/free-writes.ts"
import { clockAt } from "../fixtures/service.ts"
import { type MailBench, mailBench } from "../mail/mail-bench.ts"
import { written } from "../mail/send-in.ts"

const START = Date.UTC(2026, 10, 23)
let fresh: ReturnType<typeof freshDirectory>
let bench: MailBench
beforeEach(() => {
  fresh = freshDirectory()
  bench = mailBench({ databasePath: `${fresh.path}/mail.db`, smtpPort: 9, machine: clockAt(START) })
})
afterEach(async () => {
  await bench.close()
  fresh[Symbol.dispose]()
})

let serial = 0
const message = (from: string, body: object, filler = 0) =>
  Buffer.from(
    written({ from, body: { ...body, reply_to: from, ...(filler > 0 && { filler: "x".repeat(filler) }) } }) +
      `\r\n${" ".repeat(++serial)}`,
  )
const receive = (raw: Uint8Array, given: Partial<MailBench["deps"]> = {}) =>
  receiveMessage({ ...bench.deps, ...given }, raw, false)
const waiting = () =>
  (bench.database.query("SELECT count(*) AS n FROM mail_in WHERE look_at IS NOT NULL").get() as { n: number }).n

test("a domain that floods leaves places for another one", async () => {
  const caps = changedCaps({ MAILS_RECEIVED: { max: 2_000 } })
  const given = { freeWrites: freeWrites(() => true, caps) }
  const receptions: string[] = []
  for (let n = 0; n < 60; n++) receptions.push(await receive(message(`a${n}@flood.example`, { intent: INTENT }), given))
  expect(new Set(receptions)).toEqual(new Set(["STORED", "LATER"]))
  expect(waiting()).toBeLessThan(MAIL_WAITING_MAX / 10)
  expect(await receive(message("b@other.example", { intent: INTENT }), given)).toBe("STORED")
})

test("below the floor an opt-out by mail arrives and counts; a long message is put off, and no challenge is sent", async () => {
  const given = { freeWrites: freeWrites(() => false) }
  const deps = { ...bench.deps, ...given }
  expect(await receive(message("leaver@host.example", { action: "STOP" }), given)).toBe("STORED")
  expect(await receive(message("caller@host.example", { intent: INTENT }), given)).toBe("STORED")
  expect(await receive(message("long@host.example", { intent: INTENT }, 20_000), given)).toBe("LATER")
  while ((await handleRound(deps)) > 0);
  expect(await bench.deps.store.read(() => findContactStop("leaver@host.example"))).not.toBeNull()
  expect(bench.database.query("SELECT count(*) AS n FROM mail_out").get()).toEqual({ n: 0 })
})

test("a message of nobody that is authenticated is dropped without a place, and below the floor without a row", async () => {
  const raw = Buffer.from(
    written({ from: "x@host.example", body: { intent: INTENT, reply_to: "x@host.example" }, above: [] }),
  )
  expect(await receive(raw, { freeWrites: freeWrites(() => false) })).toBe("STORED")
  expect(bench.database.query("SELECT count(*) AS n FROM mail_in").get()).toEqual({ n: 0 })
  expect(await receive(raw)).toBe("STORED")
  expect(bench.database.query("SELECT state, reason FROM mail_in").all()).toEqual([
    { state: "DROPPED", reason: "NO_AUTHENTICATION_RESULTS" },
  ])
})
