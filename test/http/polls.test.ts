import { expect, test } from "bun:test"
import { Polls } from "../../src/http/polls.ts"

const nextTurn = () => new Promise<void>((resolve) => setImmediate(resolve))

test("calls before the end of a poll have its number, and later ones another", async () => {
  const polls = new Polls()
  const first = polls.number()
  const end = polls.end()
  expect([polls.number(), polls.end()]).toEqual([first, end])
  await end
  expect(polls.number()).toBe(first + 1)
})

test("a poll ends for all its requests together, after the last of them was read", async () => {
  const polls = new Polls()
  const order: string[] = []
  const handle = async (name: string) => {
    order.push(`read ${name}`)
    await polls.end()
    order.push(`handle ${name}`)
  }
  const handled = [handle("a"), handle("b")]
  // Microtasks run before the poll ends.
  await Promise.resolve()
  handled.push(handle("c"))
  await Promise.all(handled)
  expect(order).toEqual(["read a", "read b", "read c", "handle a", "handle b", "handle c"])
  await nextTurn()
  await handle("d")
  expect(order.slice(6)).toEqual(["read d", "handle d"])
})
