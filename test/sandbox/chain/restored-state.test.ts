/** After any reorganization the chain is as if the dropped blocks had never existed. The run is random, from a printed seed. */
import { expect, test } from "bun:test"
import type { Address, Hex } from "viem"
import { BASE } from "../../../src/payments/networks/base.ts"
import { transferCall } from "../../../src/payments/transfer-call.ts"
import { authorizationKey } from "../../../src/sandbox/chain/ledger.ts"
import { ModelChain } from "../../../src/sandbox/chain/model-chain.ts"
import type { SignedTransfer } from "../../../src/sandbox/chain/signatures.ts"
import type { Transaction } from "../../../src/sandbox/chain/transaction.ts"
import { chance } from "../../fixtures/chance.ts"
import { atLength, SEED } from "../../fixtures/long.ts"
import { GENESIS_TIME } from "./model-bench.ts"

const ACCOUNTS = Array.from({ length: 6 }, (_, i): Address => `0x${(0xa0 + i).toString(16).padStart(40, "0")}`)
const AUTHORIZATIONS = 80

/** Nobody signed these. Both chains have them registered as valid. */
const authorizations = Array.from({ length: AUTHORIZATIONS }, (_, i): SignedTransfer => {
  const [from, to] = [ACCOUNTS[i % 3] as Address, ACCOUNTS[(i * 7) % 6] as Address]
  const nonce: Hex = `0x${i.toString(16).padStart(64, "0")}`
  const signature: Hex = `0x${"11".repeat(64)}1b`
  return { from, to, value: BigInt(i * 1_000), validAfter: 0, validBefore: 2_000_000_000, nonce, signature }
})

function openChain(): ModelChain {
  const chain = new ModelChain({ network: BASE, genesisTime: GENESIS_TIME, safeLag: 6, blockTransactionsMax: 4 })
  for (const account of ACCOUNTS) {
    chain.setEther(account, 10n ** 20n)
    chain.setUsdc(account, 1_000_000n)
  }
  for (const authorization of authorizations) chain.registerAuthorization(authorization)
  return chain
}

/** The whole state at each block. */
function stateOf(chain: ModelChain) {
  return Array.from({ length: chain.head.number + 1 }, (_, block) => ({
    accounts: ACCOUNTS.map((account) => [
      chain.ledger.nonce(account, block),
      chain.ledger.wei(account, block),
      chain.ledger.usdc(account, block),
    ]),
    spent: authorizations.map(({ from, nonce }) => chain.ledger.isSpent(authorizationKey(from, nonce), block)),
  }))
}

/** A chain that has only ever had these blocks. */
function replayed(original: ModelChain): ModelChain {
  const chain = openChain()
  for (let number = 1; number <= original.head.number; number++) {
    const block = original.block(number)
    const transactions: Transaction[] = block?.receipts.map(({ transaction }) => transaction) ?? []
    for (const transaction of transactions) chain.submit(transaction)
    chain.nextBaseFee = block?.baseFeePerGas ?? 0n
    chain.mine(block?.timestamp ?? 0)
    const found = chain.head.receipts.map(({ transaction }) => transaction.hash)
    expect(found).toEqual(transactions.map(({ hash }) => hash))
  }
  return chain
}

test.each(atLength([SEED], [1, 2, 3, SEED]))(
  "seed %d: after reorganizations the state equals the state of the remaining blocks",
  (seed) => {
    const random = chance(seed)
    const pick = <Item>(items: readonly Item[]) => items[Math.floor(random() * items.length)] as Item
    const chain = openChain()
    let [dropped, failed] = [0, 0]
    for (let step = 0; step < 400; step++) {
      const turn = random()
      if (turn < 0.6) {
        const data = transferCall(pick(authorizations))
        const maxPriorityFeePerGas = BigInt(1 + Math.floor(random() * 1_000_000))
        chain.submit({ from: pick(ACCOUNTS), to: BASE.asset.address, data, gas: 200_000n, maxPriorityFeePerGas })
      } else if (turn < 0.9) {
        chain.mine(chain.head.timestamp + 1 + Math.floor(random() * 3))
        failed += chain.head.receipts.filter(({ isSuccess }) => !isSuccess).length
      } else {
        const depth = Math.min(1 + Math.floor(random() * 6), chain.head.number - chain.safe.number)
        chain.reorganize(depth, () => random() < 0.7)
        dropped += depth
      }
    }
    expect([dropped > 20, failed > 20]).toEqual([true, true])
    expect(stateOf(chain)).toEqual(stateOf(replayed(chain)))
  },
)
