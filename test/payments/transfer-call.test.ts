import { describe, expect, test } from "bun:test"
import { decodeFunctionData, type Hex } from "viem"
import { checkAuthorization } from "../../src/payments/authorization.ts"
import { transferCall } from "../../src/payments/transfer-call.ts"
import { USDC_ABI } from "../../src/payments/usdc-contract.ts"
import { sampleTerms, signPayment } from "../fixtures/authorizations.ts"
import { DEV_ACCOUNTS } from "../fixtures/chain.ts"

const NOW = 1_795_000_000
const terms = sampleTerms()
const checked = checkAuthorization(await signPayment(DEV_ACCOUNTS.payer, terms, NOW), terms, null)
if (!checked.ok) throw new Error(checked.reason)
const { authorization } = checked

function argumentsFor(signature: Hex): readonly unknown[] {
  return decodeFunctionData({ abi: USDC_ABI, data: transferCall({ ...authorization, signature }) }).args ?? []
}

describe("transferCall", () => {
  test("splits 65 bytes into v, r and s", () => {
    const { signature } = authorization
    const v = Number.parseInt(signature.slice(130), 16)
    expect(argumentsFor(signature).slice(6)).toEqual([v, signature.slice(0, 66), `0x${signature.slice(66, 130)}`])
  })

  test("passes 65 bytes of another form to a wallet unchanged", () => {
    const own: Hex = `0x${"ff".repeat(64)}05`
    expect(argumentsFor(own).slice(6)).toEqual([5, `0x${"ff".repeat(32)}`, `0x${"ff".repeat(32)}`])
  })

  test.each([64, 66, 4096])("passes %d bytes as a whole", (bytes) => {
    const signature: Hex = `0x${"a1".repeat(bytes)}`
    expect(argumentsFor(signature).slice(6)).toEqual([signature])
  })
})
