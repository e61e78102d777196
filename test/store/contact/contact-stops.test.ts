/** Opt-outs of e-mail: the first one of a mailbox counts, and there are at most so many. */
import { afterAll, expect, test } from "bun:test"
import { findContactStop, liftContactStop, recordContactStop } from "../../../src/store/contact/contact-stops.ts"
import { contactService } from "../../contact/contact-service.ts"

const running = await contactService()
const { store } = running.service
afterAll(() => running[Symbol.asyncDispose]())

const record = (mailbox: string, stoppedAt: string, most?: number) =>
  store.run(() => recordContactStop({ mailbox, stoppedAt, source: "HTTP" }, most))
const found = (mailbox: string) => store.read(() => findContactStop(mailbox))

test("the first opt-out of a mailbox counts", async () => {
  expect(await found("a@host.example")).toBeNull()
  expect(await record("a@host.example", "2026-11-23T00:00:00.000Z")).toBe(true)
  expect(await record("a@host.example", "2026-11-24T00:00:00.000Z")).toBe(true)
  expect(await found("a@host.example")).toBe("2026-11-23T00:00:00.000Z")
})

test("an opt-out counts for the mailbox in any case", async () => {
  expect(await found("A@host.example")).toBe("2026-11-23T00:00:00.000Z")
  expect(await record("BIG@host.example", "2026-11-23T00:00:00.000Z")).toBe(true)
  expect(await found("big@host.example")).toBe("2026-11-23T00:00:00.000Z")
})

test("when there are as many as may be, a known and an unknown mailbox get the same", async () => {
  const at = "2026-11-25T00:00:00.000Z"
  expect(await record("b@host.example", at, 3)).toBe(true)
  expect([await record("b@host.example", at, 3), await record("c@host.example", at, 3)]).toEqual([false, false])
  expect(await found("c@host.example")).toBeNull()
})

test("a later time lifts an opt-out, an earlier or equal one does not, and the next opt-out counts anew", async () => {
  const at = (minute: number) => `2026-11-26T00:0${minute}:00.000Z`
  const lift = (minute: number) => store.run(() => liftContactStop("Lifted@host.example", at(minute)))
  await record("lifted@host.example", at(1))
  await lift(0)
  await lift(1)
  expect(await found("lifted@host.example")).toBe(at(1))
  await lift(2)
  expect(await found("lifted@host.example")).toBeNull()
  await record("lifted@host.example", at(3))
  expect(await found("lifted@host.example")).toBe(at(3))
  await lift(2)
  expect(await found("lifted@host.example")).toBe(at(3))
})
