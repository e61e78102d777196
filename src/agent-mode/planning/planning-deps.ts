import type { Operation } from "../../../schemas/operation.ts"
import type { Signer } from "../../core/signer.ts"
import type { RequiredSource } from "../../delivery/sale.ts"
import type { Shell } from "../../http/shell.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { WalletIssuer } from "../wallet/opened-artifact.ts"
import type { PlanningCatalogue } from "./planning-catalogue.ts"

export interface PlanningDeps {
  readonly shell: Shell
  readonly store: Store
  /** The active statement key. A function, because keys rotate. */
  readonly signer: () => Signer
  readonly refreshKeys: () => Promise<unknown>
  readonly findKey: WalletIssuer["findKey"]
  readonly verifyPassport: WalletIssuer["verifyPassport"]
  readonly baseUrl: () => string
  /** Every served row, ordered by path. Complete once every route is registered. */
  readonly operations: () => readonly Operation[]
  /** State of the product's required sources at `at` (ms) for an answer that accepts this age. From memory. */
  readonly sourcesOf: (productId: string, maxAgeSeconds: number, at: number) => readonly RequiredSource[]
  /** True if the UK register is asked live at the sale, which planning never does. */
  readonly isUkRegisterLive: boolean
  /** Setting `payments`. */
  readonly paymentsMode: "off" | "test" | "live"
  /** Setting `agent_mode_planning`. */
  readonly isOn: boolean
}

/** What every plan of a running service has in common. */
export interface PlanningSettings extends Pick<PlanningDeps, "isUkRegisterLive" | "paymentsMode"> {
  readonly catalogue: PlanningCatalogue
  readonly baseUrl: string
}
