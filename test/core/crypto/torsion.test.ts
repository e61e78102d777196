/** The check by X25519 and the multiplication by L in plain arithmetic agree on every coset of the subgroup. */
import { expect, test } from "bun:test"
import { Point } from "@noble/ed25519"
import fc from "fast-check"
import { isTorsionFree } from "../../../src/core/crypto/torsion.ts"
import { runs } from "../../fixtures/long.ts"

/** Of order 8 (ePrint 2020/1244, table 1). */
const TORSION = Point.fromHex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a", true)
const { n: ORDER } = Point.CURVE()
/** The neutral point and the seven others whose order divides 8. */
const TORSION_POINTS = [Point.ZERO]
for (let more = 1; more < 8; more++) TORSION_POINTS.push((TORSION_POINTS.at(-1) ?? Point.ZERO).add(TORSION))

test("eight points have an order that divides 8", () => {
  expect(new Set(TORSION_POINTS.map((point) => point.toHex())).size).toBe(8)
  expect(TORSION_POINTS.every((point) => point.isSmallOrder())).toBe(true)
})

function check(multiple: bigint): void {
  const point = Point.BASE.multiply(multiple)
  for (const torsion of TORSION_POINTS) {
    const sum = point.add(torsion)
    expect([multiple, isTorsionFree(sum)]).toEqual([multiple, torsion === Point.ZERO])
    expect(sum.isTorsionFree()).toBe(torsion === Point.ZERO)
  }
}

test("the smallest and the largest multiples of the base point, and those around half of L", () => {
  for (const multiple of [1n, 2n, 3n, 8n, ORDER / 2n, ORDER / 2n + 1n, ORDER - 2n, ORDER - 1n]) check(multiple)
})

test("any multiple of the base point", () => {
  fc.assert(fc.property(fc.bigInt({ min: 1n, max: ORDER - 1n }), check), { numRuns: runs(10) })
})
