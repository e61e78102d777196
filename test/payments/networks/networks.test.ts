import { describe, expect, test } from "bun:test"
import { findDefaultAsset } from "@x402/evm"
import { NETWORKS, SERVED_NETWORK } from "../../../src/payments/networks/networks.ts"
import { domainSeparatorOf } from "../../../src/payments/usdc-contract.ts"

describe.each(NETWORKS.map((network) => [network.asset.network, network] as const))("%s", (_, network) => {
  test("the stated separator is that of the signed domain", () => {
    expect(domainSeparatorOf(network.asset)).toBe(network.domainSeparator)
  })

  test("address and domain match the official package", () => {
    const { address, name, network: id } = network.asset
    expect(JSON.stringify(findDefaultAsset(address, id))).toContain(`"${name}"`)
  })

  test("the CAIP-2 id names the chain", () => {
    expect(network.asset.network).toBe(`eip155:${network.asset.chainId}`)
  })
})

test("only the served network takes live payments", () => {
  expect(NETWORKS.filter(({ isLive }) => isLive)).toEqual([SERVED_NETWORK])
})
