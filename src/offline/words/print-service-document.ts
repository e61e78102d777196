import type { ServiceDocumentConclusion } from "../module/verify-service-document.ts"
import { LABEL } from "./print-conclusion.ts"

/** Prints a verdict for a person: one line per step, then the result. */
export function printServiceDocument({ steps, result, historical, payload }: ServiceDocumentConclusion): string {
  const width = Math.max(...steps.map(({ step }) => step.length))
  const lines = steps.map(({ step, outcome, reason_code, detail }) => {
    const reason = reason_code === "OK" ? "" : `${reason_code}: `
    return `${LABEL[outcome]}  ${step.padEnd(width)}  ${reason}${detail}`
  })
  lines.push("NOT proven  That an index or registry lists this service, or that what it states of itself is true.")
  if (historical) lines.push("HISTORICAL: judged at a given time; says nothing about now")
  const last = { VALID: `valid until ${payload?.valid_until}`, INVALID: "INVALID", NOT_CHECKED: "COULD NOT CHECK" }
  return `${lines.join("\n")}\n${last[result]}\n`
}
