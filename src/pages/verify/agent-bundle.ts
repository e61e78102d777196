/** Judges the export bundle of an agent identity, in the words of `bizauth agent verify-bundle`. */

import { CommandError, EXIT } from "../../base/exit.ts"
import type { IdentityConclusion } from "../../offline/kinds/identity/conclusion.ts"
import { verifyBundle } from "../../offline/kinds/identity/verify-bundle.ts"
import { AGENT_BUNDLE } from "../../offline/kinds/recognise-file.ts"
import type { ReportLine } from "../../offline/report.ts"
import { OptionError, type VerifyOptions } from "../../offline/steps/options.ts"
import { EXIT_OF_VERDICT } from "../../offline/words/exit-codes.ts"
import { VERDICT_OF } from "../../offline/words/judge-report.ts"
import { agentText, keyText, printConclusion } from "../../offline/words/print-conclusion.ts"
import type { Given, PageLine, PageVerdict } from "./page-verdict.ts"
import { ADVICE, TITLE } from "./verdict-words.ts"

/** What no other document uses. */
export const AGENT_BUNDLE_ONLY = ["log-key", "since", "receipt"] as const

/** What such a bundle does use. Ignoring the rest silently would suggest that it was checked. */
const USED: ReadonlySet<string> = new Set([...AGENT_BUNDLE_ONLY, "document", "at"])

/** Throws CommandError (2) for a file or value that a bundle does not use, or that cannot be read. */
export async function judgeAgentBundle(bytes: Uint8Array, given: Given): Promise<PageVerdict> {
  const foreign = [...Object.entries(given.files), ...Object.entries(given.texts)].find(
    ([name, value]) => value.length > 0 && !USED.has(name),
  )
  if (foreign) {
    const flag = foreign[0] === "listed" ? "document" : foreign[0]
    throw new CommandError(EXIT.USAGE, `--${flag}: ${AGENT_BUNDLE} does not use it; --log-key pins its log`)
  }
  const conclusion = await verified(bytes, given)
  return {
    ...wordsOf(conclusion),
    headline: null,
    warnings: [],
    case: null,
    judgedAt: conclusion.judged_at,
    isDeviceTime: !conclusion.historical,
    lines: linesOf(conclusion),
    checks: conclusion.steps.map(rowOf),
    text: printConclusion(conclusion),
    command: "agent verify-bundle",
    exit: EXIT_OF_VERDICT[VERDICT_OF[conclusion.result]],
  }
}

/** The bundle of a revoked identity is valid too. The title must not let a reader believe that the agent is. */
function wordsOf({
  result,
  historical,
  identity,
}: IdentityConclusion): Pick<PageVerdict, "verdict" | "title" | "advice"> {
  const verdict = VERDICT_OF[result]
  if (verdict !== "GOOD") return { verdict, title: TITLE[verdict], advice: ADVICE[verdict] }
  const isActive = identity?.keys.some(({ role, status }) => role === "OPERATIONAL" && status === "ACTIVE") ?? false
  if (!isActive) {
    return {
      verdict: "NOT_NOW",
      title: "Valid, but the agent has no active key",
      advice: "The identity or its key was revoked: accept no new signature of this agent.",
    }
  }
  return {
    verdict,
    title: historical ? "Valid at the given time" : "Valid, as of the time of its status",
    advice: "It proves which keys the agent had at the time of its status. No later change is visible in it.",
  }
}

/** None of an identity whose bundle is not valid. */
function linesOf({ result, identity, not_proven }: IdentityConclusion): readonly PageLine[] {
  if (result !== "VALID" || !identity) return []
  return [
    { label: "Agent", texts: [agentText(identity)] },
    { label: "Keys", texts: identity.keys.map(keyText) },
    { label: "Not proven", texts: not_proven },
  ]
}

async function verified(bytes: Uint8Array, given: Given): Promise<IdentityConclusion> {
  try {
    return await verifyBundle(bytes, optionsOf(given))
  } catch (error) {
    if (!(error instanceof OptionError)) throw error
    const flag = error.option === "logKey" ? "log-key" : error.option
    throw new CommandError(EXIT.USAGE, `--${flag} ${error.message}`)
  }
}

function optionsOf({ files, texts }: Given): VerifyOptions {
  const { at, "log-key": logKey } = texts
  const textOf = (name: "since" | "receipt") => {
    const file = files[name]?.[0]
    return file && { [name]: new TextDecoder().decode(file.bytes) }
  }
  return {
    ...(at !== undefined && { at }),
    ...(logKey !== undefined && { logKey }),
    ...textOf("since"),
    ...textOf("receipt"),
  }
}

const STATES = { VALID: "OK", INVALID: "INVALID", NOT_CHECKED: "UNCHECKED" } as const

function rowOf({ step, outcome, reason_code, detail }: IdentityConclusion["steps"][number]): ReportLine {
  return { check: step, state: STATES[outcome], detail: reason_code === "OK" ? detail : `${reason_code}: ${detail}` }
}
