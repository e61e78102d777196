import type { Static } from "@sinclair/typebox"
import { enumeration } from "./common.ts"

/** What a signed document says of its origin. `sandbox`: synthetic; no data directory has it, and every verifier refuses it. */
export const StatedEnvironment = enumeration("live", "test", "sandbox")
export type StatedEnvironment = Static<typeof StatedEnvironment>
