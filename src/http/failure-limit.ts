/**
 * The limit of failed payments of a client. A process that shares its database counts rows, so that a client that fails at one process is limited
 * at each. A process alone counts in memory and writes nothing for a refused payment.
 */
import type { Machine } from "../base/machine.ts"
import { SECOND } from "../core/time.ts"
import { isDatabaseAway } from "../store/engine/store-error.ts"
import type { Store } from "../store/engine/unit.ts"
import { countFailedPayment, failedPayments } from "../store/payments/failed-payments.ts"
import { type RateLimits, rateLimited, unlimited } from "./rate-limit.ts"

/** Failed verifications per client address and minute. Above this the service returns 429 before it queries a node (rulings 60). */
const FAILED_VERIFICATIONS_PER_MINUTE = 10
const GROUP = "failed payment verifications"

/** `client`: the rate-limit key of a request. */
export interface FailureLimit {
  /** Rejects with RATE_LIMITED for a client whose payments failed too often. */
  requireFew(client: string): Promise<void>
  /** Does not reject when nothing can be stored: its caller has a refusal to answer, whose reason must not be lost. */
  count(client: string): Promise<void>
}

interface FailureParts {
  readonly limiter: RateLimits
  readonly store: Pick<Store, "read" | "run">
  readonly machine: Pick<Machine, "now">
  /** Whether other processes on other machines may use the database. */
  readonly isShared: boolean
  /** False: the disk is kept for what is sold, and no row is written. */
  readonly hasSpace: () => boolean
}

export function failureLimit(parts: FailureParts): FailureLimit {
  const own = ofThisProcess(parts.limiter)
  return parts.isShared && parts.limiter !== unlimited ? ofAllProcesses(own, parts) : own
}

function ofThisProcess(limiter: RateLimits): FailureLimit {
  return {
    requireFew: async (client) => {
      limiter.requireAtMost(GROUP, client, FAILED_VERIFICATIONS_PER_MINUTE)
    },
    count: async (client) => limiter.count(GROUP, client),
  }
}

/** What cannot be a row is counted by `own`. */
function ofAllProcesses(own: FailureLimit, { store, machine, hasSpace }: Omit<FailureParts, "limiter">): FailureLimit {
  return {
    requireFew: async (client) => {
      await own.requireFew(client)
      const at = machine.now()
      const failed = await store.read(() => failedPayments(client, at))
      if (failed === null || failed.count < FAILED_VERIFICATIONS_PER_MINUTE) return
      throw rateLimited(GROUP, FAILED_VERIFICATIONS_PER_MINUTE, Math.max(1, Math.ceil((failed.endsAt - at) / SECOND)))
    },
    count: async (client) => {
      if (!hasSpace()) return own.count(client)
      try {
        await store.run(() => countFailedPayment(client, machine.now()))
      } catch (error) {
        if (!isDatabaseAway(error)) throw error
        await own.count(client)
      }
    },
  }
}
