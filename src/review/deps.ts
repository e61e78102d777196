import type { Machine } from "../base/machine.ts"
import type { Store } from "../store/engine/unit.ts"
import type { GivenRecord } from "../store/review/take-record.ts"

export interface ReviewDeps {
  readonly store: Pick<Store, "read" | "run">
  readonly machine: Pick<Machine, "now" | "random">
  /** Base URL of the service, which the first record names. */
  readonly audience: string
  readonly environment: "live" | "test"
  /** Where reviewers work, `scheme://host[:port]`. */
  readonly origin: string
  readonly isListed: GivenRecord["isListed"]
}
