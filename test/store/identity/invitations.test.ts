import { afterEach, beforeEach, expect, test } from "bun:test"
import { findInvitation, issueInvitation } from "../../../src/store/identity/invitations.ts"
import { AT } from "../money-rows.ts"
import { moneyStore } from "../money-store.ts"

let store: Awaited<ReturnType<typeof moneyStore>>
beforeEach(async () => {
  store = await moneyStore()
})
afterEach(() => store.close())

const reference = "AbC-_".padEnd(32, "x")
const find = (requests: string) => store.run(() => findInvitation(requests))

test("an invitation is found only by its exact reference", async () => {
  await store.run(() => issueInvitation({ reference, createdAt: AT }))
  expect(await find(reference)).toEqual({ reference, createdAt: AT })
  for (const other of [reference.toLowerCase(), `${reference} `, reference.slice(1), "", "%", "_".repeat(32)]) {
    expect(await find(other)).toBeNull()
  }
})

test("a reference is issued once; a second time throws and writes nothing", async () => {
  await store.run(() => issueInvitation({ reference, createdAt: AT }))
  expect(store.run(() => issueInvitation({ reference, createdAt: "2027-01-01T00:00:00.000Z" }))).rejects.toThrow()
  expect((await find(reference))?.createdAt).toBe(AT)
})

test("a reference of another length is never stored", async () => {
  expect(store.run(() => issueInvitation({ reference: "short", createdAt: AT }))).rejects.toThrow()
  expect(await find("short")).toBeNull()
})
