/** The steps about time, and about what the document must be and permit. */
import type { StatedEnvironment } from "../../../schemas/environment.ts"
import { formatInstant, parseInstant, SECOND } from "../../core/time.ts"
import type { Report } from "../report.ts"
import type { Environment, Requirements } from "../verify-input.ts"

/** Two correct clocks differ. Only the start of the window allows this difference, never its end. */
const SKEW_MAX = 30 * SECOND

export function checkTime(
  report: Report,
  { valid_as_of: from, valid_until: until }: { readonly valid_as_of: string; readonly valid_until: string },
  at: number,
): void {
  const start = parseInstant(from)
  const end = parseInstant(until)
  if (start === null || end === null) {
    report.check("time", false, { ok: "", invalid: "a validity time is not in the calendar" })
  } else if (at < start - SKEW_MAX) {
    report.time("NOT_YET_VALID", `not valid before ${from}, judged at ${formatInstant(at)}`)
  } else if (at < end) {
    report.time("CURRENT", `valid until ${until}`)
  } else {
    report.time("EXPIRED", `expired ${until}, judged at ${formatInstant(at)}`)
  }
}

export function checkRequired(report: Report, { require }: Requirements, action: string): void {
  if (require === undefined) return
  report.check(
    "require",
    action === require,
    { ok: action, invalid: `machine_action is ${action}, not ${require}` },
    "REQUIRED",
  )
}

/** Null if any environment will do. A script that requires an action acts on it, so it means live unless it says otherwise. */
export function requiredEnvironment({ require, environment }: Requirements): Environment | null {
  return environment ?? (require === undefined ? null : "live")
}

/** True unless the document is synthetic. Anyone can make the keys of the sandbox, so this comes before the signature. */
export function checkEnvironment(report: Report, environment: StatedEnvironment): environment is Environment {
  if (environment !== "sandbox") return true
  return report.check("environment", false, {
    ok: "",
    invalid: "sandbox: synthetic, made to rehearse; it decides nothing",
  })
}

/** Last lines of every report: the environment, and what an offline check cannot decide. */
export function noteEnvironment(report: Report, input: Requirements, stated: Environment): void {
  const required = requiredEnvironment(input)
  const meaning = stated === "live" ? "" : ": no decision about real money"
  if (required === null) report.note("environment", `${stated}${meaning}`)
  else {
    const wrong = `${stated}, not ${required}${meaning}`
    report.check("environment", stated === required, { ok: `${stated}${meaning}`, invalid: wrong }, "REQUIRED")
  }
}

export function noteRevocation(report: Report): void {
  report.note("revocation", "offline: the key's status is as of the issuer keys given")
}
