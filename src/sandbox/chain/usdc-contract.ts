/**
 * What USDC (FiatToken v2.2) does with a call: the same conditions in the same order, the same reasons, the same events. Gas is a constant
 * per kind of call, close to values on Base; only a wallet's own gas varies.
 */
import { type Address, encodeEventTopics, encodeFunctionData, type Hex, keccak256, parseAbi, stringToHex } from "viem"
import { USDC_ABI } from "../../payments/usdc-contract.ts"
import type { Effect, Event, Surroundings } from "./contract.ts"
import { authorizationKey } from "./ledger.ts"
import type { CancelCall, TransferCall, UsdcCall } from "./usdc-call.ts"
import { addressWord, numberWord } from "./words.ts"

const TRANSFER_WITH_AUTHORIZATION_GAS = 60_000n
const CANCEL_GAS = 30_000n
const TRANSFER_GAS = 25_000n
const APPROVE_GAS = 26_000n
const TRANSFER_FROM_GAS = 32_000n
const VIEW_GAS = 8_000n
const REVERT_GAS = 12_000n

const [USED_TOPIC, CANCELED_TOPIC, TRANSFER_TOPIC] = (
  ["AuthorizationUsed", "AuthorizationCanceled", "Transfer"] as const
).map((eventName) => encodeEventTopics({ abi: USDC_ABI, eventName })[0]) as [Hex, Hex, Hex]

const APPROVAL_TOPIC = keccak256(stringToHex("Approval(address,address,uint256)"))

const S_MAX = "7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0"
const ZERO_ADDRESS: Address = "0x0000000000000000000000000000000000000000"
export const TRUE_WORD: Hex = `0x${"0".repeat(63)}1`
export const FALSE_WORD: Hex = `0x${"0".repeat(64)}`

const reverts = (reason: string | null, gas = REVERT_GAS): Effect => ({ isSuccess: false, gas, reason })

/** Writes to the ledger only on success. When `at` is an old block, the caller must roll the writes back. `sender` calls USDC. */
export function runUsdc(call: UsdcCall | null, sender: Address, around: Surroundings): Effect {
  if (!call) return reverts(null)
  switch (call.kind) {
    case "transfer_with_authorization":
      return transferWithAuthorization(call, around)
    case "cancel_authorization":
      return cancelAuthorization(call, around)
    case "transfer": {
      const problem = held(around, sender, call.to) ?? moveProblem(around, sender, call.value, call.to)
      if (problem !== null) return reverts(problem)
      const moved = move(around, sender, call.to, call.value)
      return { isSuccess: true, gas: TRANSFER_GAS, events: [moved], output: TRUE_WORD }
    }
    case "approve":
      return approve(call, sender, around)
    case "transfer_from":
      return transferFrom(call, sender, around)
    default:
      return { isSuccess: true, gas: VIEW_GAS, events: [], output: viewUsdc(call, around, around.at) ?? "0x" }
  }
}

/** The result of a view at the end of `block`; null when the call is not a view. */
export function viewUsdc(
  call: UsdcCall,
  { ledger, signatures }: Pick<Surroundings, "ledger" | "signatures">,
  block: number,
): Hex | null {
  const flag = (value: boolean) => (value ? TRUE_WORD : FALSE_WORD)
  switch (call.kind) {
    case "authorization_state":
      return flag(ledger.isSpent(authorizationKey(call.payer, call.nonce), block))
    case "balance":
      return numberWord(ledger.usdc(call.account, block))
    case "allowance":
      return numberWord(ledger.stored(allowanceName(call.owner, call.spender), 0n, block))
    case "blacklisted":
      return flag(ledger.isBlacklisted(call.account, block))
    case "paused":
      return flag(ledger.isPaused(block))
    case "domain_separator":
      return signatures.domainSeparator
    default:
      return null
  }
}

const allowanceName = (owner: Address, spender: Address) => `allowance:${owner}:${spender}`

function approve(
  { spender, value }: { readonly spender: Address; readonly value: bigint },
  sender: Address,
  around: Surroundings,
): Effect {
  const refused = held(around, sender, spender)
  if (refused !== null) return reverts(refused)
  around.ledger.store(allowanceName(sender, spender), 0n, value)
  const approval: Event = {
    topics: [APPROVAL_TOPIC, addressWord(sender), addressWord(spender)],
    data: numberWord(value),
  }
  return { isSuccess: true, gas: APPROVE_GAS, events: [approval], output: TRUE_WORD }
}

/** `sender` spends what `from` permitted. */
function transferFrom(
  { from, to, value }: { readonly from: Address; readonly to: Address; readonly value: bigint },
  sender: Address,
  around: Surroundings,
): Effect {
  const { ledger, at } = around
  const name = allowanceName(from, sender)
  const allowed = ledger.stored(name, 0n, at)
  const refused = held(around, from, to)
  if (refused !== null) return reverts(refused)
  if (value > allowed) return reverts("ERC20: transfer amount exceeds allowance")
  const problem = moveProblem(around, from, value, to)
  if (problem !== null) return reverts(problem)
  ledger.store(name, 0n, allowed - value)
  return { isSuccess: true, gas: TRANSFER_FROM_GAS, events: [move(around, from, to, value)], output: TRUE_WORD }
}

function transferWithAuthorization(call: TransferCall, around: Surroundings): Effect {
  const { ledger, signatures, timestamp, at } = around
  const { from, to, value, nonce } = call
  const key = authorizationKey(from, nonce)
  const now = BigInt(timestamp)
  const refused = held(around, from, to)
  if (refused !== null) return reverts(refused)
  if (now <= call.validAfter) return reverts("FiatTokenV2: authorization is not yet valid")
  if (now >= call.validBefore) return reverts("FiatTokenV2: authorization is expired")
  if (ledger.isSpent(key, at)) return reverts("FiatTokenV2: authorization is used or canceled")
  const checked = checkSignature(call, around, {
    digest: () => signatures.transferDigest(call),
    signer: () => signatures.signerOfTransfer(call),
  })
  if (checked.problem !== null) return reverts(checked.problem, REVERT_GAS + checked.gas)
  const problem = moveProblem(around, from, value, to)
  if (problem !== null) return reverts(problem, REVERT_GAS + checked.gas)
  ledger.spend(key)
  const used: Event = { topics: [USED_TOPIC, addressWord(from), nonce], data: "0x" }
  const events = [used, move(around, from, to, value)]
  return { isSuccess: true, gas: TRANSFER_WITH_AUTHORIZATION_GAS + checked.gas, events, output: "0x" }
}

function cancelAuthorization(call: CancelCall, around: Surroundings): Effect {
  const { ledger, signatures, at } = around
  const { from, nonce } = call
  const key = authorizationKey(from, nonce)
  if (ledger.isPaused(at)) return reverts("Pausable: paused")
  if (ledger.isSpent(key, at)) return reverts("FiatTokenV2: authorization is used or canceled")
  const digest = signatures.cancelDigest(call)
  const checked = checkSignature(call, around, {
    digest: () => digest,
    signer: () => signatures.signerOf(digest, call.signature),
  })
  if (checked.problem !== null) return reverts(checked.problem, REVERT_GAS + checked.gas)
  ledger.spend(key)
  const canceled: Event = { topics: [CANCELED_TOPIC, addressWord(from), nonce], data: "0x" }
  return { isSuccess: true, gas: CANCEL_GAS + checked.gas, events: [canceled], output: "0x" }
}

/** USDC's SignatureChecker: calls an account with code; any other account must have signed 65 bytes with a low s. */
function checkSignature(
  { from, signature }: Pick<TransferCall, "from" | "signature">,
  around: Surroundings,
  signable: { digest(): Hex; signer(): Address | null },
): { problem: string | null; gas: bigint } {
  const code = around.contractAt(from)
  if (code) {
    const question = [signable.digest(), signature] as const
    const data = encodeFunctionData({ abi: WALLET_ABI, functionName: "isValidSignature", args: question })
    const effect = code.run(data, around.token, around)
    const isAccepted = effect.isSuccess && effect.output.startsWith(ACCEPTED)
    return { problem: isAccepted ? null : INVALID, gas: effect.gas }
  }
  return { problem: plainProblem(signature) ?? (signable.signer() === from ? null : INVALID), gas: 0n }
}

const INVALID = "FiatTokenV2: invalid signature"
/** ERC-1271. */
const WALLET_ABI = parseAbi(["function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)"])
const ACCEPTED = "0x1626ba7e"

function plainProblem(signature: Hex): string | null {
  if (signature.length !== 132) return "ECRecover: invalid signature length"
  if (signature.slice(66, 130) > S_MAX) return "ECRecover: invalid signature 's' value"
  return /1[bc]$/.test(signature) ? null : "ECRecover: invalid signature 'v' value"
}

function held({ ledger, at }: Surroundings, from: Address, to: Address): string | null {
  if (ledger.isPaused(at)) return "Pausable: paused"
  const isListed = ledger.isBlacklisted(from, at) || ledger.isBlacklisted(to, at)
  return isListed ? "Blacklistable: account is blacklisted" : null
}

function moveProblem({ ledger, at }: Surroundings, from: Address, value: bigint, to: Address): string | null {
  if (to === ZERO_ADDRESS) return "ERC20: transfer to the zero address"
  return ledger.usdc(from, at) < value ? "ERC20: transfer amount exceeds balance" : null
}

function move({ ledger }: Surroundings, from: Address, to: Address, value: bigint): Event {
  ledger.setUsdc(from, ledger.usdc(from) - value)
  ledger.setUsdc(to, ledger.usdc(to) + value)
  return { topics: [TRANSFER_TOPIC, addressWord(from), addressWord(to)], data: numberWord(value) }
}
