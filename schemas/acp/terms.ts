/** The fixed terms of the agent-commerce (ACP) purchase (Interface, "Agent-commerce (ACP) purchase channel"). Plain data, no schema. */
import { BASE_CHAIN_ID } from "../network.ts"

export const ACP_CHAIN_ID = BASE_CHAIN_ID
export const ACP_OFFERING_NAME = "Payment Decision"
export const ACP_ASSET_ADDRESS = "0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02913"
/** The ACP contract on Base. The envelope names it, because the job facts of the signing module do not. */
export const ACP_ESCROW_CONTRACT = "0x238E541BfefD82238730D00a2208E5497F1832E0"
/** Default of the setting `acp_channel`. */
export const ACP_CHANNEL_DEFAULT = "acp"

export const ACP_CHANNEL_PATTERN = "^[a-z][a-z0-9-]{0,31}$"
/** CHOICE: the member `type` separates a job binding from every other signed form. Version 4 is the version of the envelope. */
export const JOB_BINDING_TYPE = "svc.acp.job-binding.v4"
/** CHOICE: the member `type` of a requirement, draft or final. */
export const ACP_REQUIREMENT_TYPE = "svc.acp.requirement"
/** CHOICE: largest final requirement, as canonical JSON. It is the limit of every body of this service. */
export const ACP_REQUIREMENT_BYTES_MAX = 64 * 1024
/** CHOICE: the member `type` of a deliverable. Version 3 is the version of the interface. */
export const ACP_DELIVERABLE_TYPE = "svc.acp.deliverable"
/** CHOICE: largest deliverable, in bytes of its canonical text. The hub publishes no limit, so the text stays far below that of a message. */
export const ACP_DELIVERABLE_BYTES_MAX = 32 * 1024
