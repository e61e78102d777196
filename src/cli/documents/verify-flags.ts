/** The flags of every command that judges a document offline: at which time, and what it must permit. */
import type { Flag } from "../command.ts"

export const AT_FLAG = {
  at: { help: "judge at this RFC 3339 time instead of now", value: "TIME" },
} as const satisfies Record<string, Flag>

export const REQUIRE_FLAG = {
  require: { help: "exit 9 unless machine_action is this, e.g. RELEASE_PAYMENT or CONTINUE", value: "ACTION" },
} as const satisfies Record<string, Flag>
