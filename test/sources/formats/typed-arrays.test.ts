import { expect, test } from "bun:test"
import { inSharedMemory, transferable } from "../../../src/sources/formats/typed-arrays.ts"

test("a copy in shared memory has the same numbers and no memory of the original", () => {
  const whole = Uint32Array.of(9, 1, 2)
  const record = {
    id: "a",
    at: Number.POSITIVE_INFINITY,
    part: whole.subarray(1),
    deep: { halves: Float64Array.of(0.5) },
  }
  const copy = inSharedMemory(record)
  expect(copy).toEqual({ ...record, part: Uint32Array.of(1, 2) })
  for (const numbers of [copy.part, copy.deep.halves]) expect(numbers.buffer).toBeInstanceOf(SharedArrayBuffer)
  whole[1] = 7
  expect(copy.part[0]).toBe(1)
})

test("each block is transferred once, and shared memory is not transferred", () => {
  const block = new ArrayBuffer(16)
  const record = {
    halves: [],
    one: new Uint8Array(block, 0, 8),
    two: new Uint8Array(block, 8),
    deep: { three: Float64Array.of(1) },
    shared: new Uint8Array(new SharedArrayBuffer(4)),
    none: null,
  }
  expect(transferable(record)).toEqual([block, record.deep.three.buffer])
})
