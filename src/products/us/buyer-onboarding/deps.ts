import type { Machine } from "../../../base/machine.ts"
import type { Signer } from "../../../core/signer.ts"
import type { Shell } from "../../../http/shell.ts"
import type { Store } from "../../../store/engine/unit.ts"

export interface BuyerOnboardingDeps {
  readonly shell: Shell
  readonly store: Store
  readonly machine: Machine
  readonly signer: () => Signer
  readonly baseUrl: () => string
}

/**
 * The deps and a public key that nobody signs with, so that an unknown organization costs the same verification as a known one (rulings
 * 28).
 */
export interface OnboardingRouteDeps extends BuyerOnboardingDeps {
  readonly decoy: string
}
