import { expect, test } from "bun:test"
import { isCurrency } from "../../src/checks/currency.ts"

test("the gate accepts currencies in use", () => {
  for (const code of ["USD", "EUR", "GBP", "JPY", "KWD", "ZWG"]) expect([code, isCurrency(code)]).toEqual([code, true])
})

test("it rejects codes that are not money, are withdrawn or do not exist", () => {
  for (const code of ["XXX", "XTS", "DEM", "usd", "US", "USDC", ""])
    expect([code, isCurrency(code)]).toEqual([code, false])
})
