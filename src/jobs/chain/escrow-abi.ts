/** The escrow contract of ACP jobs on Base, third generation. Selectors and topics are in the tests. */
import { encodeEventTopics, type Hex, parseAbi } from "viem"

export const ESCROW_ABI = parseAbi([
  "function setBudget(uint256 jobId, uint256 amount, bytes optParams)",
  "function submit(uint256 jobId, bytes32 deliverable, bytes optParams)",
  "function getJob(uint256 jobId) view returns ((address client, uint8 status, address provider, uint48 expiredAt, address evaluator, address hook, uint256 budget, string description))",
  "function paymentToken() view returns (address)",
  "function paused() view returns (bool)",
  "function platformFeeBP() view returns (uint256)",
  "function evaluatorFeeBP() view returns (uint256)",
  "event JobCreated(uint256 indexed jobId, address indexed client, address indexed provider, address evaluator, uint256 expiredAt, address hook)",
  "event JobFunded(uint256 indexed jobId, address indexed client, uint256 amount)",
  "event JobSubmitted(uint256 indexed jobId, address indexed provider, bytes32 deliverable)",
  "event JobCompleted(uint256 indexed jobId, address indexed evaluator, bytes32 reason)",
  "event JobRejected(uint256 indexed jobId, address indexed rejector, bytes32 reason)",
  "event JobExpired(uint256 indexed jobId)",
  "event PaymentReleased(uint256 indexed jobId, address indexed provider, uint256 amount)",
  "event Refunded(uint256 indexed jobId, address indexed client, uint256 amount)",
])

/** Events that say what happened to a job. */
export type JobEventName =
  | "JobFunded"
  | "JobSubmitted"
  | "JobCompleted"
  | "JobRejected"
  | "JobExpired"
  | "PaymentReleased"
  | "Refunded"

const topic = (eventName: JobEventName | "JobCreated") => encodeEventTopics({ abi: ESCROW_ABI, eventName })[0] as Hex

export const JOB_CREATED = topic("JobCreated")
/** Name of an event by its first topic. */
export const JOB_EVENTS: ReadonlyMap<Hex, JobEventName> = new Map(
  (
    ["JobFunded", "JobSubmitted", "JobCompleted", "JobRejected", "JobExpired", "PaymentReleased", "Refunded"] as const
  ).map((name) => [topic(name), name]),
)

/** EIP-1967: where a proxy keeps the address of its implementation. */
export const IMPLEMENTATION_SLOT: Hex = "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc"
