/** The requirement of an on-chain job, and the binding that its agent signs. It imports nothing of the program. */
import { digestOf, type Json, leftOut } from "./edge-client.ts"

export function jobRequirement(request: Json, provider: string): Json {
  return {
    envelope_version: 4,
    type: "svc.acp.requirement",
    channel: "acp",
    product: "decision-gate.release-payment-to-supplier.v1",
    offering: {
      id: "offering-1",
      name: "Payment Decision",
      provider_address: provider,
      escrow_contract: "0x238E541BfefD82238730D00a2208E5497F1832E0",
    },
    purchase: {
      purpose: "RELEASE_PAYMENT_TO_SUPPLIER",
      price: "0.79",
      price_atomic: "790000",
      asset: "USDC",
      asset_address: "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913",
      network: "eip155:8453",
    },
    request,
    buyer_authorization: null,
  }
}

interface EdgeJob {
  readonly jobId: string
  readonly client: string
  readonly provider: string
}

export function jobBinding(requirement: Json, { jobId, client, provider }: EdgeJob): Json {
  const { requesting_agent: agent } = requirement["request"] as { requesting_agent: Json }
  return {
    type: "svc.acp.job-binding.v4",
    canonicalization: "SVC-C14N-JSON-1",
    chain_id: 8453,
    on_chain_job_id: jobId,
    acp_client_address: client.toLowerCase(),
    provider_address: provider.toLowerCase(),
    offering_id: "offering-1",
    offering_name: "Payment Decision",
    requirement_digest: digestOf(leftOut(requirement, ["/buyer_authorization"])),
    purchase_purpose: "RELEASE_PAYMENT_TO_SUPPLIER",
    price_atomic: "790000",
    asset: "USDC",
    network: "eip155:8453",
    agent_id: agent["agent_id"],
    key_id: agent["key_id"],
  }
}
