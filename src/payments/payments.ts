/** Everything the service needs to receive payments, opened once: terms, chain, relayer or hosted settler, readiness. */

import type { Address } from "viem"
import type { StatedEnvironment } from "../../schemas/environment.ts"
import type { GasPolicy } from "./gas.ts"
import type { HandOverPace } from "./hand-over-pace.ts"
import type { HostedSettler } from "./hosted-settler.ts"
import type { Relayer } from "./relayer.ts"
import type { RelayerCount } from "./relayer-count.ts"
import type { EvmChain } from "./rpc.ts"

export interface SelfSettler {
  readonly kind: "self"
  readonly relayer: Relayer
  readonly count: RelayerCount
}

export interface HostedParts {
  readonly hosted: HostedSettler
  readonly pace: HandOverPace
}

export type Settler = SelfSettler | ({ readonly kind: "http" } & HostedParts)

export interface Payments {
  readonly environment: StatedEnvironment
  readonly chain: EvmChain
  readonly payTo: Address
  readonly settler: Settler
  readonly gasPolicy: GasPolicy
  /** Wei that reverted settlements for one payer contract's code may burn in a day. */
  readonly burnedGasDailyWei: bigint
  /** How long a paid request waits for inclusion before it returns 202. */
  readonly settleWaitMs: number
}
