import type { UnchargedAnswer } from "../../agent/answer-in.ts"
import { EXIT, type ExitCode } from "../../base/exit.ts"
import type { Input } from "../command.ts"

/**
 * Prints an answer that decides nothing. Returns 4 if a later retry may help, otherwise 3, so that a script does not take it for a result.
 */
export function tellUncharged(input: Input, answer: UnchargedAnswer): ExitCode {
  const { decision, machineAction, reasonCodes, retryAfterSeconds: seconds } = answer
  const told = {
    version: 1,
    charged: false,
    decision,
    machine_action: machineAction,
    reason_codes: reasonCodes,
    retry_after_seconds: seconds,
  }
  const after = seconds === null ? "" : `, after ${seconds} s`
  input.out(
    input.on("json")
      ? `${JSON.stringify(told)}\n`
      : `${decision}: the service decides nothing now. Nothing was quoted, paid or written.
reasons  ${reasonCodes.join(", ")}
next     ${machineAction}${after}
`,
  )
  return decision === "RETRY" ? EXIT.NOT_CHECKED : EXIT.INVALID
}
