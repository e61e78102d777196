import type { AccessLog } from "../base/access-log.ts"
import type { Log } from "../base/log.ts"
import type { Machine } from "../base/machine.ts"
import type { BodiesOnTheWay } from "./bodies-on-the-way.ts"
import type { TrustedProxies } from "./client-address.ts"
import type { FreeWrites } from "./free-writes.ts"
import type { IgnoredForwards } from "./ignored-forwards.ts"
import type { Polls } from "./polls.ts"
import type { ProcessCounts } from "./process-counts.ts"
import type { RateLimits } from "./rate-limit.ts"
import type { ServedOperations } from "./served.ts"

export interface Shell {
  readonly machine: Machine
  readonly log: Log
  readonly limiter: RateLimits
  readonly trustedProxies: TrustedProxies
  /** Absent in tests of single routes. */
  readonly ignoredForwards?: IgnoredForwards
  /** Public origin of the service, without a trailing slash. */
  readonly baseUrl: () => string
  /** CAIP-2 id of the chain on which callers pay. */
  readonly network: string
  /** Absent where the disk is not looked at: then there is always room. */
  readonly freeWrites?: FreeWrites
  /** Absent in tests of single routes. */
  readonly served?: ServedOperations
  /** Absent if there is no socket. */
  readonly socket?: ShellSocket
  /** Absent if nobody reads metrics. */
  readonly counts?: ProcessCounts
  /** Absent if it is off. */
  readonly access?: AccessLog
}

export interface ShellSocket {
  /** Returns the address of the request's connection. */
  peerOf(request: Request): string | undefined
  readonly polls: Polls
  readonly bodies: BodiesOnTheWay
}
