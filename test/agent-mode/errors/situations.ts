/** Services in the states in which a route of agent mode refuses. */
import type { Operation } from "../../../schemas/operation.ts"
import { DAY } from "../../../src/core/time.ts"
import { KEY_VALID_DAYS } from "../../../src/keys/issue-key.ts"
import { StoreUnavailable } from "../../../src/store/engine/store-error.ts"
import { openWallets, type Wallets } from "../wallet/wallets.ts"

const EVERYTHING_ON = { agent_mode_planning: "on", intent_beacon: "on" } as const

/**
 * `on`: everything works. `off`: planning, sales and the Beacon are off. `broken`: the database takes no work. `expired`: the signing key
 * has expired. `limited`: requests of an address are counted.
 */
export type SituationName = "on" | "off" | "broken" | "expired" | "limited"

export type Situations = Readonly<Record<SituationName, Wallets>> & AsyncDisposable

/** The address of a request that arrives without a socket. */
const NO_SOCKET = "unknown"

export async function openSituations(): Promise<Situations> {
  const [on, off, broken, expired, limited] = await Promise.all([
    openWallets(EVERYTHING_ON),
    openWallets({ sales: "off" }),
    openWallets(EVERYTHING_ON),
    openWallets(EVERYTHING_ON),
    openWallets({ ...EVERYTHING_ON, rate_limits: "on" }),
  ])
  const { store } = broken.service.service
  const working = { run: store.run, read: store.read, readTogether: store.readTogether }
  const unavailable = () => Promise.reject(new StoreUnavailable("FULL"))
  Object.assign(store, { run: unavailable, read: unavailable, readTogether: unavailable })
  expired.service.clock.set(expired.service.clock.now() + (KEY_VALID_DAYS + 1) * DAY)
  return {
    on,
    off,
    broken,
    expired,
    limited,
    async [Symbol.asyncDispose]() {
      Object.assign(store, working)
      for (const { service } of [on, off, broken, expired, limited]) await service[Symbol.asyncDispose]()
    },
  }
}

/** Uses up the budget of an address for the routes of this group. */
export function useUp({ service }: Wallets, { rateLimit: { group, perMinute } }: Pick<Operation, "rateLimit">): void {
  for (let n = 0; n < perMinute; n++) service.service.shell.limiter.take(group, NO_SOCKET, Number.POSITIVE_INFINITY)
}
