import type { AgentIdBootstrap } from "../../schemas/agent-id/descriptor.ts"
import type { StatedEnvironment } from "../../schemas/environment.ts"
import type { Machine } from "../base/machine.ts"
import type { Signer } from "../core/signer.ts"
import type { Shell } from "../http/shell.ts"
import type { Store } from "../store/engine/unit.ts"
import type { ServiceKey } from "../store/identity/service-keys.ts"
import type { CatalogueParts } from "./conversation/sales/sales-catalogue.ts"

export interface AgentSalesDeps {
  readonly shell: Shell
  readonly store: Store
  readonly machine: Machine
  readonly signer: () => Signer
  /** The same; null while no key can sign. */
  readonly signerOrNull: () => Signer | null
  /** Reads the service's keys again if another process changed them. */
  readonly refreshKeys: () => Promise<unknown>
  /** Any key of this service. */
  readonly findKey: (keyId: string) => Pick<ServiceKey, "status"> | undefined
  readonly baseUrl: () => string
  readonly environment: StatedEnvironment
  /** Configuration `sales` and `intent_beacon`. */
  readonly isOn: { readonly sales: boolean; readonly beacon: boolean }
  readonly catalogue: CatalogueParts
  /** The bootstrap descriptor of Agent ID. */
  readonly identity: () => AgentIdBootstrap
}
