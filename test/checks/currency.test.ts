import { expect, test } from "bun:test"
import { isCurrency } from "../../src/checks/currency.ts"

test("currencies in use are known", () => {
  for (const code of ["USD", "EUR", "GBP", "JPY", "KWD", "ZWG"]) expect([code, isCurrency(code)]).toEqual([code, true])
})

test("codes that are no money, withdrawn or no code at all are not", () => {
  for (const code of ["XXX", "XTS", "DEM", "usd", "US", "USDC", ""])
    expect([code, isCurrency(code)]).toEqual([code, false])
})
