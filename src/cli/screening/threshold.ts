/** The score from which a name is a hit, as flags. */
import { CommandError, EXIT } from "../../base/exit.ts"
import { TIERS } from "../../sources/screening/parameters.ts"
import { TOLERANCE_THRESHOLD } from "../../sources/screening/screen.ts"
import type { Flag, Input } from "../command.ts"

export const THRESHOLD_FLAGS = {
  tolerance: { help: "LOW (0.75), MEDIUM (0.80) or HIGH (0.85); default MEDIUM", value: "T" },
  threshold: { help: "score from which a name is a hit, 0.65 to 1, instead of a tolerance", value: "T" },
} as const satisfies Record<string, Flag>

export function readThreshold(input: Input): number {
  const threshold = input.text("threshold")
  const tolerance = input.text("tolerance")
  if (threshold === undefined) {
    const named = tolerance ?? "MEDIUM"
    if (!Object.hasOwn(TOLERANCE_THRESHOLD, named)) throw usage("--tolerance is LOW, MEDIUM or HIGH")
    return TOLERANCE_THRESHOLD[named as keyof typeof TOLERANCE_THRESHOLD]
  }
  if (tolerance !== undefined) throw usage("give --tolerance or --threshold, not both")
  const number = /^[01](\.\d{1,4})?$/.test(threshold) ? Number(threshold) : Number.NaN
  if (number >= TIERS.nearMissMin && number <= 1) return number
  throw usage(`--threshold is a number from ${TIERS.nearMissMin} to 1 with at most four decimals, such as 0.8`)
}

function usage(message: string): CommandError {
  return new CommandError(EXIT.USAGE, message)
}
