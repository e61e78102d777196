import type { DecisionRequest } from "../../../../schemas/us/payment-decision.ts"
import type { RequestTexts } from "../../../checks/policy/digests.ts"
import type { SourceBoard } from "../../../sources/boards/source-board.ts"
import type { Registers } from "../registration.ts"
import type { StoredAgentKey } from "../signing-agent.ts"
import type { EarlierAuthorization } from "./earlier-authorization.ts"
import type { AuthorityRecords, SupplierRecords } from "./records.ts"

/** The request under check. `needs` of a check lists the members that must be present. */
export interface Inquiry {
  readonly request: DecisionRequest
  readonly requestDigest: string
  /** Null for an incomplete request. */
  readonly texts: RequestTexts | null
  readonly at: number
  readonly agentKey: StoredAgentKey | null
  readonly authority: AuthorityRecords | null
  readonly supplier: SupplierRecords | null
  readonly earlier: EarlierAuthorization | null
  /** Public origin of the service. */
  readonly baseUrl: string
  readonly sources: SourceBoard
  readonly registers: Registers
}

/** The service's own records that the checks use. */
export type JudgedRecords = Pick<Inquiry, "authority" | "supplier" | "earlier">
