/**
 * No product sells an answer about a name in Arabic letters, in any member that holds a name. test/products/every-product.test.ts sends
 * the bodies.
 */
import { describe, expect, test } from "bun:test"
import { nameMembers, valueAt } from "../fixtures/name-members.ts"
import { EACH_PRODUCT } from "../fixtures/products.ts"

describe.each(EACH_PRODUCT)("%s", (_, { request, refused }) => {
  test("has a rejected body with Arabic letters for each member that contains a name", () => {
    const inArabic = Object.values(refused)
      .filter(([code]) => code === "NAME_SCRIPT_UNSUPPORTED")
      .map(([, body]) => body())
    for (const pointer of nameMembers(request))
      expect([pointer, inArabic.some((body) => /\p{Script=Arabic}/u.test(String(valueAt(body, pointer))))]).toEqual([
        pointer,
        true,
      ])
  })
})

test("the list of products that take a name is complete", () => {
  const taken = EACH_PRODUCT.map(([id, { request }]) => [id, ...nameMembers(request)])
  expect(taken.filter(([, ...pointers]) => pointers.length !== 1)).toEqual([
    ["gb.vendor.payment_detail_change.authorize.v1"],
  ])
  expect(new Set(taken.flatMap(([, ...pointers]) => pointers))).toEqual(
    new Set(["/company/legal_name", "/supplier/legal_name", "/invoice/invoice_company_name"]),
  )
})
