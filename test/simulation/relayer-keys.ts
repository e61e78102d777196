/** The relayer's key, which the operator may replace. A process takes the present one at its start. */

import { BASE } from "../../src/payments/networks/base.ts"
import { openRelayer, type Relayer } from "../../src/payments/relayer.ts"
import { RELAYER_KEYS } from "./accounts.ts"
import type { Random } from "./random.ts"
import type { Simulation } from "./simulation.ts"
import { EVERYBODY } from "./trace.ts"

/** In which the processes of an operator who replaces the key are restarted. */
const RESTARTS_MS = 20_000

export class RelayerKeys {
  private number = 0
  private readonly relayers: readonly Relayer[]

  constructor(private readonly simulation: Simulation) {
    this.relayers = RELAYER_KEYS.map((key) => simulation.chain.known(openRelayer(key, BASE.asset.chainId)))
  }

  get present(): Relayer {
    return this.relayers[this.number] as Relayer
  }

  /** Addresses that a process uses, or will use after its restart. */
  get inUse(): ReadonlySet<string> {
    const { address } = this.present
    return new Set([address, ...this.simulation.servers.all.map(({ relayer }) => relayer ?? address)])
  }

  /** The operator takes another key, perhaps an earlier one, and restarts the processes one after another. */
  replace(random: Random): void {
    const { scheduler, servers } = this.simulation
    this.number = (this.number + random.between(1, RELAYER_KEYS.length - 1)) % RELAYER_KEYS.length
    this.simulation.note(`the relayer's key is replaced: ${this.present.address}`, [EVERYBODY])
    for (const process of servers.all)
      scheduler.after(random.fraction() * RESTARTS_MS, "restart with another key", null, () =>
        servers.kill(process, "to start with another relayer key"),
      )
  }
}
