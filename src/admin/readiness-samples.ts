import type { Readiness } from "../base/readiness.ts"
import { type Sample, sample } from "./exposition.ts"
import { READINESS_CODES } from "./label-values.ts"

const CHECK_FAILED = "CHECK_FAILED"

/** Uses the last run of the checks. A worker repeats it, so a reader of metrics causes no query to a node. */
export async function readinessSamples(readiness: Pick<Readiness, "currentReasons">): Promise<readonly Sample[]> {
  const reasons = await readiness.currentReasons()
  const codes = reasons.map(({ code }) => (code.startsWith(CHECK_FAILED) ? CHECK_FAILED : code))
  return [
    sample("bizauth_ready", {}, codes.length === 0 ? 1 : 0),
    ...READINESS_CODES.map((reason) => sample("bizauth_not_ready", { reason }, codes.includes(reason) ? 1 : 0)),
  ]
}
