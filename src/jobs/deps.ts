import type { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import type { PaidProduct, Sale } from "../delivery/sale.ts"
import type { GasPolicy } from "../payments/gas.ts"
import type { Relayer } from "../payments/relayer.ts"
import type { EvmChain } from "../payments/rpc.ts"
import type { Store } from "../store/engine/unit.ts"
import type { FreeWriter } from "../store/free-writes/admit.ts"
import type { Lease } from "../store/lease.ts"
import type { StrayLeases } from "../store/stray-leases.ts"
import type { AcpHub } from "./hub/hub.ts"

/** The offering as the operator listed it. Addresses in lower case. */
export interface Offering {
  readonly chainId: number
  /** The escrow contract. */
  readonly contract: string
  /** The wallet that signs for the provider. */
  readonly provider: string
  /** Address of the token that the contract must hold. */
  readonly token: string
  readonly offeringId: string
  /** The setting `acp_channel`. */
  readonly channel: string
  /** Implementations of the contract that the operator trusts. */
  readonly implementations: readonly string[]
}

/** The Payment Decision as a job buys it: the gates and records of the paid route, without its payment. */
export interface JobProduct {
  readonly product: PaidProduct
  /** Throws the first refusal of the checks that come before the look-up of an earlier sale. `at` in milliseconds. */
  saleOf(request: DecisionRequest, at: number): Promise<Sale>
  /** End of the authority to request this payment, in milliseconds. `records`: as the product reserved them. */
  authorityUntil(records: unknown): number
}

/** Where the key of a decision is published, as a deliverable names it. */
export interface IssuerPlaces {
  /** Public key of the service by its key id, base64url; null if it is not known. */
  publicKeyOf(keyId: string): Promise<string | null>
  readonly jwksPath: string
  readonly revocationPath: string
}

/** A durable step of a job. Tests stop the process there. */
export type JobStep =
  | "recorded"
  | "requirement_frozen"
  | "action_stored"
  | "action_sent"
  | "funding_stored"
  | "computed"
  | "deliverable_frozen"
  | "deliverable_posted"
  | "submission_seen"

export interface AcpDeps {
  readonly store: Store
  /** Returns the writer of what the chain causes. It has no address. `at` in milliseconds. */
  readonly writer: (at: number) => FreeWriter
  readonly machine: Machine
  readonly log: Log
  readonly chain: EvmChain
  readonly hub: AcpHub
  readonly wallet: Relayer
  readonly offering: Offering
  readonly sold: JobProduct
  readonly issuer: IssuerPlaces
  readonly gasPolicy: GasPolicy
  /** Whether new requirements are taken now. Jobs with a purchase continue. */
  readonly isTaking: () => boolean
  /** Names this process as the owner of its leases. */
  readonly owner: string
  readonly leaseMs: number
  /** Of jobs. */
  readonly strayLeases: StrayLeases
  readonly trace?: (step: JobStep) => void | Promise<void>
}

export function jobLease({ machine, owner, leaseMs }: AcpDeps): Lease {
  return { owner, until: new Date(machine.now() + leaseMs).toISOString() }
}
