import { headlineOf } from "../../case/words/headline.ts"
import { labelledLines } from "../../case/words/labelled-lines.ts"
import { caseBlocks } from "../../case/words/print-case.ts"
import { plainText } from "../../core/text/plain-text.ts"
import { wrapped } from "../../core/text/wrapped.ts"
import { type DocumentView, otherReasons, statedPrefix } from "./view.ts"

/** A view as text, `width` characters wide at most where words permit. `verify`: the command that verifies the document. */
export function printView(view: DocumentView, width: number, verify: string): string {
  const { kind, warnings, decision, advice, facts, sources } = view
  const reasons = otherReasons(view)
  const headline = view.case && headlineOf(view.case, { state: "UNCHECKED" })
  const blocks = [
    [
      `This is ${plainText(kind)}. It is shown, not verified:`,
      `  ${verify}`,
      ...warnings.flatMap((text) => wrapped(text, width, "! ")),
    ],
    headline === null ? [] : [headline.words, ...headline.more.flatMap((text) => wrapped(text, width, "  "))],
    decision === null
      ? []
      : [`${statedPrefix(view)}${plainText(decision.decision)}: ${plainText(decision.machineAction)}`],
    advice.flatMap((text) => wrapped(plainText(text), width, "  ")),
    ...(view.case === null ? [] : caseBlocks(view.case, width)),
    reasons.length === 0 ? [] : ["Reasons", ...reasons.flatMap((reason) => reasonLines(reason, width))],
    facts.length === 0 ? [] : ["Facts", ...labelledLines(facts, width)],
    sources.length === 0 ? [] : ["Sources", ...sources.flatMap((source) => sourceLines(source, width))],
  ]
  return `${blocks
    .filter((lines) => lines.length > 0)
    .map((lines) => lines.join("\n"))
    .join("\n\n")}\n`
}

function reasonLines({ code, why, remediation }: DocumentView["reasons"][number], width: number): string[] {
  const words = why ?? "This program does not have the policy that gave this reason."
  const remedy = remediation === "" ? "" : ` Remedy: ${plainText(remediation)}.`
  return [`  ${plainText(code)}`, ...wrapped(plainText(words) + remedy, width, "    ")]
}

function sourceLines({ name, published, retrieved, detail }: DocumentView["sources"][number], width: number): string[] {
  const dates = [`published ${published ?? "unknown"}`, retrieved && `retrieved ${retrieved}`]
    .filter(Boolean)
    .join(", ")
  return [
    `  ${plainText(name)}`,
    ...wrapped(plainText([dates, detail].filter((text) => text !== "").join("; ")), width, "    "),
  ]
}
