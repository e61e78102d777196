import { expect, test } from "bun:test"
import { findDefaultAsset } from "@x402/evm"
import { assetOf, USDC_BASE, USDC_BASE_DOMAIN_SEPARATOR } from "../../src/payments/usdc.ts"
import { domainSeparatorOf } from "../../src/payments/usdc-contract.ts"

test("the constant of Base equals the separator of the signed domain", () => {
  expect(domainSeparatorOf(USDC_BASE)).toBe(USDC_BASE_DOMAIN_SEPARATOR)
})

test.each([8453, 84532])("address and domain on chain %d match the official package", (chainId) => {
  const ours = assetOf(chainId)
  expect(ours).not.toBeNull()
  expect(JSON.stringify(findDefaultAsset(ours?.address ?? "", `eip155:${chainId}`))).toContain(`"${ours?.name}"`)
})

test("an unknown chain has no asset", () => {
  expect(assetOf(1)).toBeNull()
})
