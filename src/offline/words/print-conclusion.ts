/** Prints the verdicts of the published procedures for a person. */
import type { IdentityConclusion, IdentityFacts } from "../kinds/identity/conclusion.ts"
import type { ServiceDocumentConclusion } from "../module/verify-service-document.ts"
import type { Conclusion } from "../report.ts"
import type { Step } from "../steps/run.ts"

const LABEL: Readonly<Record<Conclusion, string>> = { VALID: "ok  ", INVALID: "FAIL", NOT_CHECKED: "????" }

const HISTORICAL = "HISTORICAL: judged at a given time; says nothing about now"

/** The verdict on an export bundle: one line per step, then what is known, its age, and what it does not prove. */
export function printConclusion(conclusion: IdentityConclusion): string {
  const { steps, identity, log, proven, not_proven, historical } = conclusion
  const lines = stepLines(steps)
  if (identity) lines.push(`agent  ${agentText(identity)}`, ...identity.keys.map((key) => `key    ${keyText(key)}`))
  if (log) lines.push(`log    ${log.origin}, tree size ${log.tree_size}, root ${log.root_hash}`)
  lines.push(...proven.map((text) => `proven      ${text}`), ...not_proven.map((text) => `NOT proven  ${text}`))
  if (historical) lines.push(HISTORICAL)
  return `${lines.join("\n")}\n${lastLine(conclusion)}\n`
}

/** The verdict on a document of a service: one line per step, then the result. */
export function printServiceDocument({ steps, result, historical, payload }: ServiceDocumentConclusion): string {
  const lines = stepLines(steps)
  lines.push("NOT proven  That an index or registry lists this service, or that what it states of itself is true.")
  if (historical) lines.push(HISTORICAL)
  const last = { VALID: `valid until ${payload?.valid_until}`, INVALID: "INVALID", NOT_CHECKED: "COULD NOT CHECK" }
  return `${lines.join("\n")}\n${last[result]}\n`
}

function stepLines(steps: readonly Step[]): string[] {
  const width = Math.max(...steps.map(({ step }) => step.length))
  return steps.map(({ step, outcome, reason_code, detail }) => {
    const reason = reason_code === "OK" ? "" : `${reason_code}: `
    return `${LABEL[outcome]}  ${step.padEnd(width)}  ${reason}${detail}`
  })
}

export function agentText({ agent_id, identity_status, sequence }: IdentityFacts): string {
  return `${agent_id} ${identity_status}, sequence ${sequence}`
}

export function keyText(key: IdentityFacts["keys"][number]): string {
  const claim = key.compromise_suspected_since
  const suspected = claim === null ? "" : `, CLAIMED compromised since ${claim}`
  return `${key.key_id} ${key.role} ${key.status} since ${key.since}${suspected}`
}

function lastLine({ result, trust, current_as_of, age_seconds, log }: IdentityConclusion): string {
  const age = current_as_of === null ? "" : `, as of ${current_as_of}, ${age_seconds} s ago`
  switch (result) {
    case "VALID":
      return `valid: CURRENT AS OF ${current_as_of}, tree size ${log?.tree_size}; ${age_seconds} s old`
    case "INVALID":
      return `INVALID${age}`
    case "NOT_CHECKED":
      return `COULD NOT CHECK${trust === "CONSISTENT_ONLY" ? ": CONSISTENT ONLY, origin not proven" : ""}${age}`
  }
}
