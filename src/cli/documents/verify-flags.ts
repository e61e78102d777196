/** The flags of every command that judges a document offline: at which time, what it must permit, and where it must be from. */
import { ENVIRONMENTS } from "../../offline/given/verify-terms.ts"
import type { Flag } from "../command.ts"

export const AT_FLAG = {
  at: { help: "judge at this RFC 3339 time instead of now", value: "TIME" },
} as const satisfies Record<string, Flag>

export const REQUIRE_FLAG = {
  require: {
    help: "exit 9 unless machine_action is this, e.g. RELEASE_PAYMENT or CONTINUE, in a live document",
    value: "ACTION",
  },
  environment: {
    help: `exit 9 unless the document is of this environment: ${ENVIRONMENTS.join(", ")} (with --require: default live)`,
    value: "ENVIRONMENT",
  },
} as const satisfies Record<string, Flag>
