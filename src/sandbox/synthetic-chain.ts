/** The payment network of the sandbox: the chain model with a payer, a relayer and a payee, all of them with keys that anyone can make. */

import type { Hex } from "viem"
import { type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import type { PaymentPayload, PaymentRequirements } from "../../schemas/x402.ts"
import { signAuthorization } from "../agent/sign-payment.ts"
import { SECOND } from "../core/time.ts"
import type { Network } from "../payments/networks/network.ts"
import type { Payments } from "../payments/payments.ts"
import { openRelayer } from "../payments/relayer.ts"
import { RelayerCount } from "../payments/relayer-count.ts"
import { ModelChain } from "./chain/model-chain.ts"
import { ModelNode } from "./chain/model-node.ts"
import { openModelChain } from "./chain/open-model-chain.ts"
import { syntheticSeed } from "./synthetic-keys.ts"
import type { SyntheticMachine } from "./synthetic-machine.ts"

const PAYER_USDC_ATOMIC = 100_000_000n
const RELAYER_WEI = 10n ** 18n
const BLOCK_SECONDS = 2
/** The chain is older than any search for a payment. */
const CHAIN_AGE_SECONDS = 3600
/** One look at the chain, then 202. */
const SETTLE_WAIT_MS = 300

export interface SyntheticChain {
  readonly payments: Payments
  readonly payer: PrivateKeyAccount
  /** False: a transaction waits until {@link mine}. Initially true: each transaction is in a block at once. */
  minesAtOnce: boolean
  mine(): void
}

export function syntheticChain(seed: number, machine: SyntheticMachine, network: Network): SyntheticChain {
  const wallet = (role: string) => privateKeyToAccount(hexOf(syntheticSeed(seed, role)))
  const [payer, payee] = [wallet("PAYER"), wallet("PAYEE")]
  const relayer = openRelayer(hexOf(syntheticSeed(seed, "RELAYER")), network.asset.chainId)
  const now = () => Math.floor(machine.now() / SECOND)
  const model = new ModelChain({
    network,
    genesisTime: now() - CHAIN_AGE_SECONDS,
    senderOf: () => relayer.address,
  })
  const mine = () => void model.mine(Math.max(model.head.timestamp + BLOCK_SECONDS, now()))
  model.setUsdc(payer.address, PAYER_USDC_ATOMIC)
  model.setEther(relayer.address, RELAYER_WEI)
  mine()
  const node = new ModelNode(model)
  const chain = openModelChain(network, async (question) => {
    const answer = await node.request(question)
    if (question.method === "eth_sendRawTransaction" && opened.minesAtOnce) mine()
    return answer
  })
  const opened: SyntheticChain = {
    minesAtOnce: true,
    mine,
    payer,
    payments: {
      environment: "sandbox",
      chain,
      payTo: payee.address,
      settler: { kind: "self", relayer, count: new RelayerCount(chain, relayer.address, () => machine.monotonic()) },
      // An ether so cheap that even the cheapest product pays for its own settlement.
      gasPolicy: { ethUsdMicros: 100_000_000n, priorityFeeMax: network.gas.priorityFeeMax },
      burnedGasDailyWei: 20_000_000_000_000_000n,
      settleWaitMs: SETTLE_WAIT_MS,
    },
  }
  return opened
}

/** The payment header of a payer who accepts the terms of a quote. */
export async function signPayment(
  { payer, payments }: SyntheticChain,
  terms: PaymentRequirements,
  machine: SyntheticMachine,
): Promise<string> {
  const { signature, authorization } = await signAuthorization(terms, payments.chain.asset, payer, machine)
  const payment: PaymentPayload = { x402Version: 2, accepted: terms, payload: { signature, authorization } }
  return Buffer.from(JSON.stringify(payment)).toString("base64")
}

function hexOf(bytes: Uint8Array): Hex {
  return `0x${Buffer.from(bytes).toString("hex")}`
}
