/** Parses calldata of the escrow contract of ACP jobs (third generation) as its code does. */
import { type Address, type Hex, toFunctionSelector } from "viem"
import { decodedOrNull, type Words } from "../../../../src/sandbox/chain/words.ts"

/** Addresses in lower case. `description`: UTF-8 bytes. */
export type EscrowCall =
  | {
      readonly kind: "create_job"
      readonly provider: Address
      readonly evaluator: Address
      readonly expiredAt: bigint
      readonly description: Hex
      readonly hook: Address
    }
  | { readonly kind: "set_provider"; readonly jobId: bigint; readonly provider: Address }
  | { readonly kind: "set_budget"; readonly jobId: bigint; readonly amount: bigint }
  | { readonly kind: "fund"; readonly jobId: bigint; readonly expectedBudget: bigint }
  | { readonly kind: "submit"; readonly jobId: bigint; readonly deliverable: Hex }
  | { readonly kind: "complete"; readonly jobId: bigint; readonly reason: Hex }
  | { readonly kind: "reject"; readonly jobId: bigint; readonly reason: Hex }
  | { readonly kind: "claim_refund"; readonly jobId: bigint }
  | { readonly kind: "get_job"; readonly jobId: bigint }
  | { readonly kind: "payment_token" }
  | { readonly kind: "platform_fee" }
  | { readonly kind: "evaluator_fee" }
  | { readonly kind: "job_counter" }
  | { readonly kind: "paused" }

/** The trailing `bytes optParams` must decode; the contract passes it to a hook only. */
function withOptions<T>(words: Words, at: number, call: T): T {
  words.bytes(at)
  return call
}

const FUNCTIONS: readonly (readonly [signature: string, read: (words: Words) => EscrowCall])[] = [
  [
    "function createJob(address provider, address evaluator, uint256 expiredAt, string description, address hook)",
    (words) => ({
      kind: "create_job",
      provider: words.address(0),
      evaluator: words.address(1),
      expiredAt: words.number(2),
      description: words.bytes(3),
      hook: words.address(4),
    }),
  ],
  [
    "function setProvider(uint256 jobId, address provider)",
    (words) => ({ kind: "set_provider", jobId: words.number(0), provider: words.address(1) }),
  ],
  [
    "function setBudget(uint256 jobId, uint256 amount, bytes optParams)",
    (words) => withOptions(words, 2, { kind: "set_budget", jobId: words.number(0), amount: words.number(1) }),
  ],
  [
    "function fund(uint256 jobId, uint256 expectedBudget, bytes optParams)",
    (words) => withOptions(words, 2, { kind: "fund", jobId: words.number(0), expectedBudget: words.number(1) }),
  ],
  [
    "function submit(uint256 jobId, bytes32 deliverable, bytes optParams)",
    (words) => withOptions(words, 2, { kind: "submit", jobId: words.number(0), deliverable: words.bytes32(1) }),
  ],
  [
    "function complete(uint256 jobId, bytes32 reason, bytes optParams)",
    (words) => withOptions(words, 2, { kind: "complete", jobId: words.number(0), reason: words.bytes32(1) }),
  ],
  [
    "function reject(uint256 jobId, bytes32 reason, bytes optParams)",
    (words) => withOptions(words, 2, { kind: "reject", jobId: words.number(0), reason: words.bytes32(1) }),
  ],
  ["function claimRefund(uint256 jobId)", (words) => ({ kind: "claim_refund", jobId: words.number(0) })],
  ["function getJob(uint256 jobId)", (words) => ({ kind: "get_job", jobId: words.number(0) })],
  ["function paymentToken()", () => ({ kind: "payment_token" })],
  ["function platformFeeBP()", () => ({ kind: "platform_fee" })],
  ["function evaluatorFeeBP()", () => ({ kind: "evaluator_fee" })],
  ["function jobCounter()", () => ({ kind: "job_counter" })],
  ["function paused()", () => ({ kind: "paused" })],
]
const READERS = new Map(FUNCTIONS.map(([signature, read]) => [toFunctionSelector(signature) as string, read]))

/** Null when the contract has no such function, or the arguments do not decode. */
export function readEscrowCall(data: Hex): EscrowCall | null {
  const read = READERS.get(data.slice(0, 10).toLowerCase())
  return read ? decodedOrNull(data, read) : null
}
