/**
 * What the escrow contract of ACP jobs does with a call: the same conditions, events and money as the deployed third generation. Jobs with a
 * hook cannot be created, because the model lists no hook. Gas is a constant for each kind of call.
 */
import { type Address, encodeEventTopics, type Hex, keccak256, parseAbi, stringToHex } from "viem"
import type { Contract, Effect, Event, Surroundings } from "../../../../src/sandbox/chain/contract.ts"
import { runUsdc } from "../../../../src/sandbox/chain/usdc-contract.ts"
import { addressWord, numberWord } from "../../../../src/sandbox/chain/words.ts"
import { type EscrowCall, readEscrowCall } from "./escrow-call.ts"
import { ESCROW_STATUS, type EscrowStorage, encodedJob, type ModelJob, type ModelJobStatus } from "./escrow-state.ts"

const EVENTS = parseAbi([
  "event JobCreated(uint256 indexed jobId, address indexed client, address indexed provider, address evaluator, uint256 expiredAt, address hook)",
  "event BudgetSet(uint256 indexed jobId, uint256 amount)",
  "event JobFunded(uint256 indexed jobId, address indexed client, uint256 amount)",
  "event JobSubmitted(uint256 indexed jobId, address indexed provider, bytes32 deliverable)",
  "event JobCompleted(uint256 indexed jobId, address indexed evaluator, bytes32 reason)",
  "event JobRejected(uint256 indexed jobId, address indexed rejector, bytes32 reason)",
  "event JobExpired(uint256 indexed jobId)",
  "event PaymentReleased(uint256 indexed jobId, address indexed provider, uint256 amount)",
  "event EvaluatorFeePaid(uint256 indexed jobId, address indexed evaluator, uint256 amount)",
  "event Refunded(uint256 indexed jobId, address indexed client, uint256 amount)",
])
type EventName = (typeof EVENTS)[number]["name"]
/** First topic of each event. */
export const ESCROW_TOPICS = Object.fromEntries(
  EVENTS.map(({ name: eventName }) => [eventName, encodeEventTopics({ abi: EVENTS, eventName })[0]]),
) as Readonly<Record<EventName, Hex>>

const GAS: Readonly<Record<EscrowCall["kind"], bigint>> = {
  create_job: 184_000n,
  set_provider: 45_000n,
  set_budget: 50_000n,
  fund: 95_000n,
  submit: 130_000n,
  complete: 110_000n,
  reject: 72_000n,
  claim_refund: 72_000n,
  get_job: 20_000n,
  payment_token: 8_000n,
  platform_fee: 8_000n,
  evaluator_fee: 8_000n,
  job_counter: 8_000n,
  paused: 8_000n,
}
const REVERT_GAS = 15_000n

const ERRORS = [
  "InvalidJob",
  "WrongStatus",
  "Unauthorized",
  "ExpiryTooShort",
  "BudgetMismatch",
  "ProviderNotSet",
  "ClientIsProvider",
  "EvaluatorIsProvider",
  "HookNotWhitelisted",
  "EnforcedPause",
] as const
type ErrorName = (typeof ERRORS)[number]
const SELECTORS = Object.fromEntries(
  ERRORS.map((name) => [name, keccak256(stringToHex(`${name}()`)).slice(0, 10)]),
) as Readonly<Record<ErrorName, Hex>>

const NOBODY: Address = "0x0000000000000000000000000000000000000000"
const EXPIRY_SECONDS_MIN = 300n
const EXPIRY_MAX = 2n ** 48n - 1n
/** After the deadline of a submitted job, until anyone may claim the refund. */
const EVALUATOR_GRACE_SECONDS = 900n
const BASIS_POINTS = 10_000n

/** EIP-1967: the slot in which a proxy keeps the address of its implementation. */
const IMPLEMENTATION_SLOT = 0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbcn
const EMPTY_SLOT: Hex = `0x${"0".repeat(64)}`

/** The contract behind its proxy as a part of a model chain. */
export function escrowContract(storage: EscrowStorage): ReadonlyMap<Address, Contract> {
  const contract: Contract = {
    code: "0x63e5c0",
    run: (data, sender, around) => runEscrow(readEscrowCall(data), sender, around, storage),
    storageAt: (slot, ledger, block) =>
      slot === IMPLEMENTATION_SLOT ? addressWord(storage.settings(ledger, block).implementation) : EMPTY_SLOT,
  }
  return new Map([[storage.address, contract]])
}

/** Makes the call revert. */
class Reverted extends Error {
  constructor(readonly effect: Effect) {
    super("reverted")
  }
}

function requireThat(condition: boolean, error: ErrorName): asserts condition {
  if (condition) return
  throw new Reverted({ isSuccess: false, gas: REVERT_GAS, reason: null, data: SELECTORS[error] })
}

/** Writes to the ledger. The caller must roll the writes back when the call fails or when `at` is an old block. */
function runEscrow(call: EscrowCall | null, sender: Address, around: Surroundings, storage: EscrowStorage): Effect {
  if (!call) return { isSuccess: false, gas: REVERT_GAS, reason: null }
  try {
    const run = new EscrowRun(sender, around, storage)
    const output = run.execute(call)
    return { isSuccess: true, gas: GAS[call.kind], events: run.events, output }
  } catch (error) {
    if (error instanceof Reverted) return error.effect
    throw error
  }
}

/** One call. A job is read once, because reads see the state at the end of an old block if the call is simulated there. */
class EscrowRun {
  readonly events: Event[] = []
  private readonly now: bigint

  constructor(
    private readonly sender: Address,
    private readonly around: Surroundings,
    private readonly storage: EscrowStorage,
  ) {
    this.now = BigInt(around.timestamp)
  }

  private get settings() {
    return this.storage.settings(this.around.ledger, this.around.at)
  }

  execute(call: EscrowCall): Hex {
    const { ledger, at } = this.around
    switch (call.kind) {
      case "get_job":
        return encodedJob(this.storage.job(ledger, call.jobId, at))
      case "payment_token":
        return addressWord(this.settings.token)
      case "platform_fee":
        return numberWord(this.settings.platformFeeBp)
      case "evaluator_fee":
        return numberWord(this.settings.evaluatorFeeBp)
      case "job_counter":
        return numberWord(this.storage.jobCount(ledger, at))
      case "paused":
        return numberWord(this.settings.isPaused ? 1 : 0)
      case "create_job":
        return this.createJob(call)
      default:
        this.change(call)
        return "0x"
    }
  }

  private createJob({
    provider,
    evaluator,
    expiredAt,
    description,
    hook,
  }: Extract<EscrowCall, { kind: "create_job" }>): Hex {
    const { ledger, at } = this.around
    requireThat(!this.settings.isPaused, "EnforcedPause")
    requireThat(expiredAt > this.now + EXPIRY_SECONDS_MIN && expiredAt <= EXPIRY_MAX, "ExpiryTooShort")
    requireThat(this.sender !== provider, "ClientIsProvider")
    requireThat(evaluator === NOBODY || evaluator !== provider, "EvaluatorIsProvider")
    requireThat(hook === NOBODY, "HookNotWhitelisted")
    const jobId = this.storage.jobCount(ledger, at) + 1n
    const job = { client: this.sender, provider, evaluator, hook, expiredAt, description, budget: 0n }
    this.storage.addJob(ledger, jobId, { ...job, status: ESCROW_STATUS.open })
    const rest = [addressWord(evaluator), numberWord(expiredAt), addressWord(hook)]
    this.emit("JobCreated", jobId, [addressWord(this.sender), addressWord(provider)], rest)
    return numberWord(jobId)
  }

  private change(call: Extract<EscrowCall, { jobId: bigint }>): void {
    requireThat(!this.settings.isPaused, "EnforcedPause")
    const { jobId } = call
    const job = this.storage.job(this.around.ledger, jobId, this.around.at)
    requireThat(job !== null, "InvalidJob")
    switch (call.kind) {
      case "set_provider":
        requireThat(this.sender === job.client, "Unauthorized")
        requireThat(job.status === ESCROW_STATUS.open && job.provider === NOBODY, "WrongStatus")
        this.write(jobId, { ...job, provider: call.provider })
        break
      case "set_budget":
        this.requireInTime(job, job.status === ESCROW_STATUS.open)
        requireThat(this.sender === job.provider, "Unauthorized")
        this.write(jobId, { ...job, budget: call.amount })
        this.emit("BudgetSet", jobId, [], [numberWord(call.amount)])
        break
      case "fund":
        this.fund(jobId, job, call.expectedBudget)
        break
      case "submit":
        this.submit(jobId, job, call.deliverable)
        break
      case "complete":
        requireThat(job.status === ESCROW_STATUS.submitted, "WrongStatus")
        requireThat(this.sender === job.evaluator, "Unauthorized")
        this.settle(jobId, job, call.reason, (job.budget * this.settings.evaluatorFeeBp) / BASIS_POINTS)
        break
      case "reject":
        this.reject(jobId, job, call.reason)
        break
      case "claim_refund":
        this.claimRefund(jobId, job)
        break
    }
  }

  private fund(jobId: bigint, job: ModelJob, expectedBudget: bigint): void {
    this.requireInTime(job, job.status === ESCROW_STATUS.open)
    requireThat(this.sender === job.client, "Unauthorized")
    requireThat(job.provider !== NOBODY, "ProviderNotSet")
    requireThat(job.budget === expectedBudget, "BudgetMismatch")
    this.write(jobId, { ...job, status: ESCROW_STATUS.funded })
    if (job.budget > 0n) this.move("transfer_from", job.client, this.storage.address, job.budget)
    this.emit("JobFunded", jobId, [addressWord(job.client)], [numberWord(job.budget)])
  }

  private submit(jobId: bigint, job: ModelJob, deliverable: Hex): void {
    const isFree = job.status === ESCROW_STATUS.open && job.budget === 0n
    this.requireInTime(job, job.status === ESCROW_STATUS.funded || isFree)
    requireThat(this.sender === job.provider, "Unauthorized")
    this.write(jobId, { ...job, status: ESCROW_STATUS.submitted })
    this.emit("JobSubmitted", jobId, [addressWord(job.provider)], [deliverable])
    // Without an evaluator the submission completes the job.
    if (job.evaluator === NOBODY) this.settle(jobId, job, deliverable, 0n)
  }

  private reject(jobId: bigint, job: ModelJob, reason: Hex): void {
    const isParty = this.sender === job.client || this.sender === job.provider
    const isPaid = job.status === ESCROW_STATUS.funded || job.status === ESCROW_STATUS.submitted
    requireThat(isPaid || job.status === ESCROW_STATUS.open, "WrongStatus")
    const isEvaluated = isPaid && job.evaluator !== NOBODY
    requireThat(isEvaluated ? this.sender === job.evaluator : isParty, "Unauthorized")
    this.end(jobId, job, ESCROW_STATUS.rejected)
    this.emit("JobRejected", jobId, [addressWord(this.sender)], [reason])
  }

  private claimRefund(jobId: bigint, job: ModelJob): void {
    requireThat(job.status <= ESCROW_STATUS.submitted, "WrongStatus")
    const grace = job.status === ESCROW_STATUS.submitted ? EVALUATOR_GRACE_SECONDS : 0n
    requireThat(this.now >= job.expiredAt + grace, "WrongStatus")
    this.end(jobId, job, ESCROW_STATUS.expired)
    this.emit("JobExpired", jobId, [], [])
  }

  /** Returns the money of a funded job to its client. */
  private end(jobId: bigint, job: ModelJob, status: ModelJobStatus): void {
    this.write(jobId, { ...job, status })
    if (job.status === ESCROW_STATUS.open || job.budget === 0n) return
    this.move("transfer", this.storage.address, job.client, job.budget)
    this.emit("Refunded", jobId, [addressWord(job.client)], [numberWord(job.budget)])
  }

  private settle(jobId: bigint, job: ModelJob, reason: Hex, evaluatorFee: bigint): void {
    const { address } = this.storage
    const { platformFeeBp, treasury } = this.settings
    const platformFee = (job.budget * platformFeeBp) / BASIS_POINTS
    const net = job.budget - platformFee - evaluatorFee
    this.write(jobId, { ...job, status: ESCROW_STATUS.completed })
    if (platformFee > 0n) this.move("transfer", address, treasury, platformFee)
    if (evaluatorFee > 0n) {
      this.move("transfer", address, job.evaluator, evaluatorFee)
      this.emit("EvaluatorFeePaid", jobId, [addressWord(job.evaluator)], [numberWord(evaluatorFee)])
    }
    this.emit("JobCompleted", jobId, [addressWord(job.evaluator)], [reason])
    if (net > 0n) this.move("transfer", address, job.provider, net)
    this.emit("PaymentReleased", jobId, [addressWord(job.provider)], [numberWord(net)])
  }

  private requireInTime(job: ModelJob, isRightStatus: boolean): void {
    requireThat(isRightStatus && this.now < job.expiredAt, "WrongStatus")
  }

  /** The contract calls the token. A failed call reverts with the token's reason. */
  private move(kind: "transfer" | "transfer_from", from: Address, to: Address, value: bigint): void {
    const { address } = this.storage
    // Another token than the modelled one has no code.
    requireThat(this.settings.token === this.around.token, "InvalidJob")
    const call = kind === "transfer" ? { kind, to, value } : { kind, from, to, value }
    const effect = runUsdc(call, address, this.around)
    if (!effect.isSuccess) throw new Reverted(effect)
    this.events.push(...effect.events)
  }

  private write(jobId: bigint, job: ModelJob): void {
    this.storage.setJob(this.around.ledger, jobId, job)
  }

  private emit(name: EventName, jobId: bigint, indexed: readonly Hex[], rest: readonly Hex[]): void {
    const data: Hex = `0x${rest.map((word) => word.slice(2)).join("")}`
    const topics = [ESCROW_TOPICS[name], numberWord(jobId), ...indexed] as const
    this.events.push({ address: this.storage.address, topics, data })
  }
}
