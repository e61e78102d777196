/** Requirements and calls of a buyer. */
import { type Address, encodeFunctionData, type Hex, pad, parseAbi } from "viem"
import type { AcpRequirement, AcpRequirementDraft } from "../../../schemas/acp/requirement.ts"
import type { DecisionRequest } from "../../../schemas/us/payment-decision.ts"
import { bindRequirement } from "../../../src/jobs/buyer-signing/bind-requirement.ts"
import type { TestKey } from "../../fixtures/buyers.ts"
import { CHAIN_ID, CHANNEL, DESCRIPTION, ESCROW, NOBODY, OFFERING_ID, PROVIDER_LOWER, TOKEN } from "./job-terms.ts"

export function draftOf(request: DecisionRequest): AcpRequirementDraft {
  return {
    envelope_version: 4,
    type: "svc.acp.requirement",
    channel: CHANNEL,
    product: "decision-gate.release-payment-to-supplier.v1",
    offering: { id: OFFERING_ID, name: DESCRIPTION, provider_address: PROVIDER_LOWER, escrow_contract: ESCROW },
    purchase: {
      purpose: "RELEASE_PAYMENT_TO_SUPPLIER",
      price: "0.79",
      price_atomic: "790000",
      asset: "USDC",
      asset_address: TOKEN as AcpRequirementDraft["purchase"]["asset_address"],
      network: "eip155:8453",
    },
    request,
    buyer_authorization: null,
  }
}

/** Bound to the job by the signing module. */
export function finalOf(request: DecisionRequest, jobId: string, client: Address, agent: TestKey): AcpRequirement {
  const job = { onChainJobId: jobId, chainId: CHAIN_ID, clientAddress: client, providerAddress: PROVIDER_LOWER }
  return bindRequirement(draftOf(request), job, agent.privateKey)
}

const ABI = parseAbi([
  "function createJob(address provider, address evaluator, uint256 expiredAt, string description, address hook) returns (uint256)",
  "function fund(uint256 jobId, uint256 expectedBudget, bytes optParams)",
  "function reject(uint256 jobId, bytes32 reason, bytes optParams)",
  "function claimRefund(uint256 jobId)",
])
const TOKEN_ABI = parseAbi(["function approve(address spender, uint256 value) returns (bool)"])

export interface NewJob {
  readonly expiredAt: number
  readonly evaluator?: Address
  readonly description?: string
}

export function createCall({ expiredAt, evaluator = NOBODY, description = DESCRIPTION }: NewJob): Hex {
  const args = [PROVIDER_LOWER, evaluator, BigInt(expiredAt), description, NOBODY] as const
  return encodeFunctionData({ abi: ABI, functionName: "createJob", args })
}

export function fundCall(jobId: string, budget: bigint): Hex {
  return encodeFunctionData({ abi: ABI, functionName: "fund", args: [BigInt(jobId), budget, "0x"] })
}

export function rejectCall(jobId: string): Hex {
  return encodeFunctionData({ abi: ABI, functionName: "reject", args: [BigInt(jobId), pad("0x"), "0x"] })
}

export function refundCall(jobId: string): Hex {
  return encodeFunctionData({ abi: ABI, functionName: "claimRefund", args: [BigInt(jobId)] })
}

export function approveCall(value: bigint): Hex {
  return encodeFunctionData({ abi: TOKEN_ABI, functionName: "approve", args: [ESCROW, value] })
}
