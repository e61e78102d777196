/** The modelled escrow and the Solidity escrow on anvil agree on the same random jobs. A failure prints the seed. */
import { afterAll, expect } from "bun:test"
import { type Address, encodeFunctionData, type Hex, keccak256, parseAbi, stringToHex, toHex, zeroAddress } from "viem"
import type { PrivateKeyAccount } from "viem/accounts"
import { BASE } from "../../../src/payments/networks/base.ts"
import { DEV_ACCOUNTS } from "../../fixtures/chain.ts"
import { chance } from "../../fixtures/chance.ts"
import { ESCROW_ADDRESS } from "../../fixtures/escrow.ts"
import { atLength, SEED } from "../../fixtures/long.ts"
import { slowTests } from "../../fixtures/slow-tests.ts"
import { BASE_FEE, Duel } from "./duel.ts"

const test = slowTests(import.meta.path)
const { payer, secondPayer, stranger, relayer: provider, payTo } = DEV_ACCOUNTS
const PRICE = 790_000n
const STEPS = 200
const ABI = parseAbi([
  "function createJob(address provider, address evaluator, uint256 expiredAt, string description, address hook) returns (uint256)",
  "function setProvider(uint256 jobId, address provider)",
  "function setBudget(uint256 jobId, uint256 amount, bytes optParams)",
  "function fund(uint256 jobId, uint256 expectedBudget, bytes optParams)",
  "function submit(uint256 jobId, bytes32 deliverable, bytes optParams)",
  "function complete(uint256 jobId, bytes32 reason, bytes optParams)",
  "function reject(uint256 jobId, bytes32 reason, bytes optParams)",
  "function claimRefund(uint256 jobId)",
  "function getJob(uint256 jobId) view returns (bytes)",
  "function paymentToken() view returns (address)",
  "function platformFeeBP() view returns (uint256)",
  "function evaluatorFeeBP() view returns (uint256)",
  "function jobCounter() view returns (uint256)",
  "function paused() view returns (bool)",
])
const TOKEN_ABI = parseAbi([
  "function approve(address spender, uint256 value) returns (bool)",
  "function transferFrom(address from, address to, uint256 value) returns (bool)",
])

/** A call and its sender. */
interface Turn {
  readonly sender: PrivateKeyAccount
  readonly to: Address
  readonly data: Hex
}

class Play {
  private readonly random: () => number
  private serial = 0
  /** Transactions, with what each would do. */
  readonly sent = new Map<Hex, string>()

  constructor(
    private readonly duel: Duel,
    seed: number,
  ) {
    this.random = chance(seed)
    for (const name of ["paymentToken", "platformFeeBP", "evaluatorFeeBP", "jobCounter", "paused"] as const)
      duel.escrowViews.add(encodeFunctionData({ abi: ABI, functionName: name }))
    this.watchJob(0)
    this.watchJob(1)
  }

  private pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(this.random() * items.length)] as Item
  }

  /** Jobs at the head. */
  private get jobs(): number {
    const { model, modelledEscrow } = this.duel
    return Number(modelledEscrow?.jobCount(model.ledger))
  }

  private watchJob(jobId: number): void {
    this.duel.escrowViews.add(encodeFunctionData({ abi: ABI, functionName: "getJob", args: [BigInt(jobId)] }))
  }

  async step(): Promise<void> {
    const { duel } = this
    const turn = this.random()
    if (turn < 0.02 && duel.isIdle()) {
      await duel.administer("escrow paused", true)
      await this.send("submit", this.submit())
      await duel.mine()
      await duel.administer("escrow paused", false)
      // On anvil the change is a transaction, which a reorganization would undo.
      for (let blocks = 0; blocks < 2; blocks++) await duel.mine()
    } else if (turn < 0.05 && duel.isIdle() && duel.model.head.number > 5) await duel.reorganize(this.pick([1, 2]))
    else if (turn < 0.28) await duel.mine(this.pick([1, 1, 2, 2, 2, 2, 2, 20, 100]))
    else {
      const [name, call] = this.call()
      // Anvil's builder orders senders differently, so a block has one sender.
      if (duel.model.waiting().some(({ from }) => from !== call.sender.address.toLowerCase())) await duel.mine()
      await this.send(name, call)
    }
  }

  private call(): [string, Turn] {
    const turn = this.random()
    if (turn < 0.2) return ["createJob", this.createJob()]
    if (turn < 0.38) return ["setBudget", this.setBudget()]
    if (turn < 0.48) return ["approve", this.approve()]
    if (turn < 0.62) return ["fund", this.fund()]
    if (turn < 0.76) return ["submit", this.submit()]
    if (turn < 0.83)
      return ["complete", this.onJob(this.pick([payer, secondPayer, stranger]), "complete", [hashOf("ok")])]
    if (turn < 0.9) {
      const sender = this.pick([payer, secondPayer, provider, stranger])
      return ["reject", this.onJob(sender, "reject", [hashOf("no")])]
    }
    if (turn < 0.96) return ["claimRefund", this.onJob(stranger, "claimRefund", [])]
    if (turn < 0.98) return ["setProvider", this.setProvider()]
    return ["other", { sender: payer, to: ESCROW_ADDRESS, data: this.pick(["0x", "0x12345678", "0xd2e13f5000"]) }]
  }

  private createJob(): Turn {
    this.watchJob(this.jobs + 1)
    const seconds = this.pick([300, 301, 302, 303, 400, 400, 900, 900])
    const args = [
      this.pick([...Array<Address>(6).fill(provider.address), zeroAddress, payer.address]),
      this.pick([...Array<Address>(4).fill(zeroAddress), payer.address, secondPayer.address, provider.address]),
      BigInt(this.duel.now() + seconds),
      this.pick(["Payment Decision", "", "ä job with a longer text than one word of the chain"]),
      this.pick([...Array<Address>(7).fill(zeroAddress), stranger.address]),
    ] as const
    const sender = this.pick([payer, payer, secondPayer])
    return { sender, to: ESCROW_ADDRESS, data: encodeFunctionData({ abi: ABI, functionName: "createJob", args }) }
  }

  private setBudget(): Turn {
    return this.onJob(this.pick([provider, provider, provider, payer]), "setBudget", [
      this.pick([PRICE, PRICE, PRICE, 0n, 5n]),
    ])
  }

  private approve(): Turn {
    const owner = this.pick([payer, secondPayer])
    const value = this.pick([PRICE, 10n ** 9n, 10n ** 9n, 0n])
    if (this.random() < 0.85) {
      const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: "approve", args: [ESCROW_ADDRESS, value] })
      return { sender: owner, to: BASE.asset.address, data }
    }
    const args = [owner.address, stranger.address, 1n] as const
    const data = encodeFunctionData({ abi: TOKEN_ABI, functionName: "transferFrom", args })
    return { sender: stranger, to: BASE.asset.address, data }
  }

  private fund(): Turn {
    return this.onJob(this.pick([payer, payer, secondPayer, stranger]), "fund", [
      this.pick([PRICE, PRICE, PRICE, 0n, 5n]),
    ])
  }

  private submit(): Turn {
    return this.onJob(this.pick([provider, provider, provider, payer]), "submit", [hashOf(`text ${this.serial}`)])
  }

  private setProvider(): Turn {
    const args = [this.jobId(), provider.address] as const
    const data = encodeFunctionData({ abi: ABI, functionName: "setProvider", args })
    return { sender: this.pick([payer, stranger]), to: ESCROW_ADDRESS, data }
  }

  /** Newer jobs are more frequent, so that their lives go on. */
  private jobId(): bigint {
    const back = Math.floor(this.random() ** 2 * 5)
    return BigInt(Math.max(0, Math.min(this.jobs, this.jobs - back + (this.random() < 0.03 ? 5 : 0))))
  }

  private onJob(
    sender: PrivateKeyAccount,
    functionName: "setBudget" | "fund" | "submit" | "complete" | "reject" | "claimRefund",
    given: readonly (bigint | Hex)[],
  ): Turn {
    const options = functionName === "claimRefund" ? [] : ["0x"]
    const args = [this.jobId(), ...given, ...options] as never
    return { sender, to: ESCROW_ADDRESS, data: encodeFunctionData({ abi: ABI, functionName, args }) }
  }

  private async send(name: string, { sender, to, data }: Turn): Promise<void> {
    this.serial++
    // Fees different from those of every other transaction.
    const tip = BigInt(1_000 + Math.floor(this.random() * 1_000) * 1_000 + this.serial)
    const fees = { maxPriorityFeePerGas: tip, maxFeePerGas: BASE_FEE * 2n + tip }
    const raw = await this.duel.send(sender, { to, data, gas: 900_000n, ...fees })
    this.sent.set(keccak256(raw), name)
  }

  /** How often each kind of call succeeded, and how often any failed. */
  outcomes(): Map<string, number> {
    const counts = new Map<string, number>()
    for (const [hash, name] of this.sent) {
      const receipt = this.duel.model.receipt(hash)
      if (!receipt) continue
      const outcome = receipt.isSuccess ? name : "failed"
      counts.set(outcome, (counts.get(outcome) ?? 0) + 1)
    }
    return counts
  }
}

const hashOf = (text: string) => keccak256(stringToHex(text))

const running: Duel[] = []
afterAll(() => Promise.all(running.map((duel) => duel.stop())))

test.each(atLength([SEED], [1, 2, 3, SEED]))(
  "seed %d: the modelled escrow and the contract agree after every block",
  async (seed) => {
    const money = new Map([payer, secondPayer].map(({ address }) => [address, 40_000_000n] as const))
    const duel = await Duel.start(money, { hasEscrow: true })
    running.push(duel)
    const play = new Play(duel, seed)
    try {
      for (let step = 0; step < STEPS; step++) await play.step()
      await duel.mine()
      const outcomes = play.outcomes()
      // A run in which nothing happens proves nothing.
      const failed = outcomes.get("failed") ?? 0
      const succeeded = [...outcomes.values()].reduce((sum, count) => sum + count, 0) - failed
      expect([succeeded > 12, failed > 12, (outcomes.get("createJob") ?? 0) > 3]).toEqual([true, true, true])
    } catch (error) {
      process.stderr.write(`seed ${seed}\n${duel.story.slice(-20).join("\n")}\n`)
      throw error
    }
  },
  60_000,
)

test("each way that a job can go gives the same events, money and states on both", async () => {
  const money = new Map([payer, secondPayer].map(({ address }) => [address, 40_000_000n] as const))
  const duel = await Duel.start(money, { hasEscrow: true })
  running.push(duel)
  let serial = 0
  const failures: string[] = []
  const act = async (sender: PrivateKeyAccount, data: Hex, isRefused = false, to: Address = ESCROW_ADDRESS) => {
    const tip = BigInt(1_000_000 + serial++)
    const fees = { maxPriorityFeePerGas: tip, maxFeePerGas: BASE_FEE * 2n + tip }
    const raw = await duel.send(sender, { to, data, gas: 900_000n, ...fees })
    await duel.mine(1)
    const receipt = duel.model.receipt(keccak256(raw))
    if (receipt?.isSuccess === isRefused) failures.push(`call ${serial}: ${data.slice(0, 10)}`)
    return receipt?.logs ?? []
  }
  const call = (functionName: string, ...args: readonly unknown[]) =>
    encodeFunctionData({ abi: ABI, functionName, args } as Parameters<typeof encodeFunctionData>[0])
  let jobs = 0n
  const create = async (evaluator: Address, seconds = 400) => {
    const terms = [provider.address, evaluator, BigInt(duel.now() + seconds), "Payment Decision", zeroAddress]
    await act(payer, call("createJob", ...terms))
    jobs++
    duel.escrowViews.add(encodeFunctionData({ abi: ABI, functionName: "getJob", args: [jobs] }))
    return jobs
  }
  const funded = async (evaluator: Address) => {
    const job = await create(evaluator)
    await act(provider, call("setBudget", job, PRICE, "0x"))
    await act(payer, call("fund", job, PRICE, "0x"))
    return job
  }
  const approval = encodeFunctionData({ abi: TOKEN_ABI, functionName: "approve", args: [ESCROW_ADDRESS, 10n ** 9n] })
  await act(payer, approval, false, BASE.asset.address)

  const skipped = await funded(zeroAddress)
  await act(payer, call("fund", skipped, PRICE, "0x"), true)
  await act(provider, call("submit", skipped, toHex(7, { size: 32 }), "0x"))
  await act(provider, call("submit", skipped, toHex(7, { size: 32 }), "0x"), true)
  const evaluated = await funded(payer.address)
  await act(provider, call("submit", evaluated, toHex(8, { size: 32 }), "0x"))
  await act(stranger, call("complete", evaluated, toHex(1, { size: 32 }), "0x"), true)
  expect(await act(payer, call("complete", evaluated, toHex(1, { size: 32 }), "0x"))).toHaveLength(6)
  const budgetless = await create(zeroAddress)
  await act(payer, call("setBudget", budgetless, PRICE, "0x"), true)
  await act(payer, call("fund", budgetless, PRICE, "0x"), true)
  await act(payer, call("reject", budgetless, toHex(0, { size: 32 }), "0x"))
  const rejected = await funded(zeroAddress)
  expect(await act(payer, call("reject", rejected, toHex(0, { size: 32 }), "0x"))).toHaveLength(3)
  const silent = await funded(secondPayer.address)
  await act(provider, call("submit", silent, toHex(9, { size: 32 }), "0x"))
  const unfunded = await create(zeroAddress)
  await act(provider, call("setBudget", unfunded, PRICE, "0x"))
  const expired = await funded(zeroAddress)
  await act(stranger, call("claimRefund", expired), true)
  await duel.mine(401)
  await act(provider, call("submit", expired, toHex(9, { size: 32 }), "0x"), true)
  await act(provider, call("setBudget", unfunded, 1n, "0x"), true)
  await act(payer, call("fund", unfunded, PRICE, "0x"), true)
  expect(await act(stranger, call("claimRefund", expired))).toHaveLength(3)
  expect(await act(stranger, call("claimRefund", unfunded))).toHaveLength(1)
  await act(stranger, call("claimRefund", silent), true)
  await duel.mine(900)
  expect(await act(stranger, call("claimRefund", silent))).toHaveLength(3)
  await act(stranger, call("claimRefund", 99n), true)
  expect(failures).toEqual([])
  // 7,900 is the platform's hundredth, 39,500 the evaluator's twentieth.
  const { ledger } = duel.model
  expect(ledger.usdc(provider.address.toLowerCase() as Address)).toBe(782_100n + 742_600n)
  expect(ledger.usdc(ESCROW_ADDRESS.toLowerCase() as Address)).toBe(0n)
  expect(payTo.address).not.toBe(provider.address)
}, 60_000)
