import { EXIT, type ExitCode } from "../../base/exit.ts"
import type { Conclusion } from "../report.ts"
import type { Verdict } from "./judge-report.ts"

/** Exit codes of every command that concludes, and of the published program. */
export const EXIT_OF: Readonly<Record<Conclusion, ExitCode>> = {
  VALID: EXIT.DONE,
  INVALID: EXIT.INVALID,
  NOT_CHECKED: EXIT.NOT_CHECKED,
}

/** Exit codes of `verify`. */
export const EXIT_OF_VERDICT: Readonly<Record<Verdict, ExitCode>> = {
  REFUSED: EXIT.INVALID,
  OPEN: EXIT.NOT_CHECKED,
  NOT_NOW: EXIT.NOT_PERMITTED,
  GOOD: EXIT.DONE,
}
