/** Opt-outs of e-mail: the first one of a mailbox counts, and each kind has its own fixed room. */
import { afterAll, expect, test } from "bun:test"
import {
  countStops,
  findContactStop,
  liftContactStop,
  recordProvedStop,
  recordUnprovedStop,
  STOPS_PROVED_MAX,
  STOPS_UNPROVED_MAX,
} from "../../../src/store/contact/contact-stops.ts"
import { freeWriter } from "../../fixtures/free-writes.ts"
import { newStore } from "../../fixtures/new-store.ts"

const { store, close } = await newStore()
afterAll(close)

const AT = Date.parse("2026-11-23T00:00:00.000Z")
const at = (minute: number) => `2026-11-26T00:${String(minute).padStart(2, "0")}:00.000Z`
const MOST = { PROVED: STOPS_PROVED_MAX, UNPROVED: STOPS_UNPROVED_MAX }
const record = (mailbox: string, stoppedAt: string, most = MOST) =>
  store.run(() => recordUnprovedStop(mailbox, stoppedAt, freeWriter(AT), most))
const prove = (mailbox: string, stoppedAt: string, most = MOST) =>
  store.run(() => recordProvedStop(mailbox, stoppedAt, most))
const found = (mailbox: string) => store.read(() => findContactStop(mailbox))
const counts = async () => [
  await store.read(() => countStops("UNPROVED")),
  await store.read(() => countStops("PROVED")),
]

test("the first opt-out of a mailbox counts, in any case of its letters", async () => {
  expect(await found("a@host.example")).toBeNull()
  expect(await record("a@host.example", at(1))).toBeNull()
  expect(await record("A@host.example", at(2))).toBeNull()
  expect([await found("A@host.example"), await counts()]).toEqual([at(1), [1, 0]])
})

test("an opt-out of the mailbox itself proves an earlier one, which keeps its time", async () => {
  await prove("a@host.example", at(3))
  expect([await found("a@host.example"), await counts()]).toEqual([at(1), [0, 1]])
  await record("a@host.example", at(4))
  expect(await counts()).toEqual([0, 1])
})

test("a later time lifts an opt-out, an earlier or equal one does not, and the next opt-out counts anew", async () => {
  const lift = (minute: number) => store.run(() => liftContactStop("Lifted@host.example", at(minute)))
  await record("lifted@host.example", at(1))
  await lift(0)
  await lift(1)
  expect(await found("lifted@host.example")).toBe(at(1))
  await lift(2)
  expect([await found("lifted@host.example"), await counts()]).toEqual([null, [0, 1]])
  await record("lifted@host.example", at(3))
  await lift(2)
  expect(await found("lifted@host.example")).toBe(at(3))
})

test("opt-outs without a proof have a fixed room: the oldest makes room, and no proved one does", async () => {
  const most = { PROVED: 10, UNPROVED: 3 }
  for (const name of ["b", "c", "d"]) await record(`${name}@host.example`, at(5), most)
  expect(await counts()).toEqual([3, 1])
  expect(await Promise.all(["lifted", "b", "c", "d", "a"].map((name) => found(`${name}@host.example`)))).toEqual([
    null,
    at(5),
    at(5),
    at(5),
    at(1),
  ])
})

test("a flood of proved opt-outs of one domain pushes out its own, not those of another domain", async () => {
  const most = { PROVED: 4, UNPROVED: 10 }
  for (let n = 0; n < 10; n++) await prove(`agent-${n}@flood.example`, at(6), most)
  expect([await found("a@host.example"), await counts()]).toEqual([at(1), [3, 4]])
  expect(await found("agent-9@flood.example")).toBe(at(6))
  // Another domain still gets in: the oldest of all makes room once the domain has none.
  await prove("late@other.example", at(7), most)
  expect([await found("late@other.example"), await counts()]).toEqual([at(7), [3, 4]])
})
