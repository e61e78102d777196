import { expect, test } from "bun:test"
import { concurrently } from "../../src/base/concurrently.ts"

const ITEMS = Array.from({ length: 20 }, (_, n) => n)

test("every item runs its step, in order, and the number of concurrent steps is limited", async () => {
  const begun: number[] = []
  let running = 0
  let most = 0
  await concurrently(ITEMS, 3, async (item) => {
    begun.push(item)
    most = Math.max(most, ++running)
    await Bun.sleep(item % 3)
    running--
  })
  expect([begun, most, running]).toEqual([ITEMS, 3, 0])
})

test("after an error no further step starts, running steps finish, and the error is thrown", async () => {
  const ended: number[] = []
  const run = concurrently(ITEMS, 3, async (item) => {
    if (item === 1) throw new Error("the second")
    await Bun.sleep(20)
    ended.push(item)
  })
  expect(await run.catch((error: unknown) => String(error))).toBe("Error: the second")
  expect(ended).toEqual([0, 2])
})

test("no step starts after mayStart returns false", async () => {
  const begun: number[] = []
  const step = async (item: number) => {
    begun.push(item)
  }
  await concurrently(ITEMS, 2, step, () => begun.length < 5)
  expect(begun).toEqual([0, 1, 2, 3, 4])
})
