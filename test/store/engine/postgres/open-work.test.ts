import { expect, test } from "bun:test"
import { type Caller, OpenWork } from "../../../../src/store/engine/postgres/open-work.ts"
import { outcome } from "../../store-bench.ts"

test("work is open until its caller has the outcome; more than is allowed is refused and does not begin", async () => {
  const open = new OpenWork(2)
  const begun: Caller[] = []
  const begin = () => outcome(open.add((caller) => void begun.push(caller)))
  const [done, failed, refused] = [begin(), begin(), begin()]
  expect(await refused).toBe("BUSY")
  expect([begun.length, open.count]).toEqual([2, 2])
  begun[0]?.resolve("done")
  expect([await done, open.count]).toEqual(["done", 1])
  begun[1]?.reject(new RangeError("failed"))
  expect([await failed, open.count]).toEqual([new RangeError("failed"), 0])
  expect([begin() instanceof Promise, begun.length]).toEqual([true, 3])
})
