/** A modelled chain with the published accounts and payments that they sign. The tests of the model start from it. */

import type { Address, Hex } from "viem"
import { type Authorization, checkAuthorization } from "../../../src/payments/authorization.ts"
import { BASE } from "../../../src/payments/networks/base.ts"
import type { WatchedPayment } from "../../../src/payments/observe.ts"
import { broadcast, openRelayer } from "../../../src/payments/relayer.ts"
import { transferCall } from "../../../src/payments/transfer-call.ts"
import { ModelChain } from "../../../src/sandbox/chain/model-chain.ts"
import type { ModelChainOptions } from "../../../src/sandbox/chain/model-chain-options.ts"
import { ModelNode } from "../../../src/sandbox/chain/model-node.ts"
import { openModelChain } from "../../../src/sandbox/chain/open-model-chain.ts"
import { type SigningOptions, sampleTerms, signPayment } from "../../fixtures/authorizations.ts"
import { DEV_ACCOUNTS, DEV_KEYS } from "../../fixtures/chain.ts"
import { BATCH } from "./parts/batch-call.ts"

export const GENESIS_TIME = 1_760_000_000
export const GAS = { gasLimit: 200_000n, maxFeePerGas: 1_000_000_000n, maxPriorityFeePerGas: 1_000_000n }

export function openModelBench(options: Partial<ModelChainOptions> = {}) {
  const model = new ModelChain({ network: BASE, genesisTime: GENESIS_TIME, contracts: BATCH, ...options })
  for (const { address } of Object.values(DEV_ACCOUNTS)) model.setEther(address, 10n ** 22n)
  model.setUsdc(DEV_ACCOUNTS.payer.address, 1_000_000_000n)
  const node = new ModelNode(model)
  const chain = openModelChain(BASE, node.request)
  const relayer = openRelayer(DEV_KEYS[1], BASE.asset.chainId)
  const terms = sampleTerms()

  const mine = (blocks = 1) => {
    for (let mined = 0; mined < blocks; mined++) model.mine(model.head.timestamp + 2)
  }
  const now = () => model.head.timestamp

  async function signed(options: SigningOptions = {}, signer = DEV_ACCOUNTS.payer): Promise<Authorization> {
    const checked = checkAuthorization(await signPayment(signer, terms, now(), options), terms, null)
    if (!checked.ok) throw new Error(checked.reason)
    return checked.authorization
  }
  /** Signs the transfer as the relayer with the account's next nonce. */
  async function sign(authorization: Authorization) {
    const nonce = await chain.primary.nextNonce(relayer.address)
    return relayer.sign({ to: BASE.asset.address, data: transferCall(authorization) }, nonce, GAS)
  }
  /** Sends the transfer as the relayer and mines it. Returns its hash. */
  async function settle(authorization: Authorization): Promise<Hex> {
    const { raw, hash } = await sign(authorization)
    await broadcast(chain.primary, raw)
    mine()
    return hash
  }
  /** Another party's transaction to USDC, mined. Returns its hash. */
  function submit(from: Address, data: Hex): Hex {
    const hash = model.submit({ from, to: BASE.asset.address, data })
    mine()
    return hash
  }
  return { model, node, chain, relayer, terms, mine, now, signed, sign, settle, submit }
}

export const watching = ({ from, to, nonce, value, validAfter, validBefore }: Authorization): WatchedPayment => ({
  payer: from,
  payTo: to,
  nonce,
  value,
  validAfter,
  validBefore,
  maxTimeoutSeconds: sampleTerms().maxTimeoutSeconds,
  alreadyUsed: false,
})

export const lower = (hex: Hex) => hex.toLowerCase() as Hex
