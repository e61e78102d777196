/** The JSON output of `verify`. */
import { isRequiredMet } from "../../offline/words/judge-report.ts"
import { type Judged, proven, provenCase, verifiedHeadline } from "../../offline/words/verdict-text.ts"

export function jsonReport(result: Judged): string {
  return `${JSON.stringify(jsonMembers(result))}\n`
}

/**
 * Version 2. `result` and its sibling members are those of version 1; they are set only if the whole report is VALID. `case` is null unless the
 * document is proven and contains an answer. `unmet` as for `verifiedHeadline`.
 */
export function jsonMembers(result: Judged, unmet?: string | null) {
  const { report, stated, judgement, isHistorical, required, requiredEnvironment } = result
  const valid = report.conclusion === "VALID" ? stated : null
  const said = proven(result)
  return {
    version: 2,
    genuine: judgement.genuine,
    current: judgement.current,
    permitted: said && {
      decision: said.decision,
      machine_action: said.machineAction,
      environment: said.environment,
      required,
      required_environment: requiredEnvironment,
      is_met: report.linesOf("REQUIRED").length === 0 ? null : isRequiredMet(report),
      reasons: said.reasons,
    },
    result: report.conclusion,
    historical: isHistorical,
    product: valid?.product ?? null,
    decision: valid?.decision ?? null,
    machine_action: valid?.machineAction ?? null,
    decision_id: valid?.decisionId ?? null,
    reference: valid?.reference ?? null,
    valid_until: valid?.validUntil ?? null,
    checks: report.lines,
    headline: verifiedHeadline(result, unmet)?.words ?? null,
    case: provenCase(result),
  }
}
