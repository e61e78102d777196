/** Judges what a person gave to the page. The words are those that the command prints, because the code is the same. */

import { CommandError, EXIT } from "../../base/exit.ts"
import { environmentWarnings } from "../../case/words/case-words.ts"
import { refusedHeadline } from "../../case/words/headline.ts"
import { formatInstant } from "../../core/time.ts"
import type { VerifyInputs } from "../../offline/given/verify-inputs.ts"
import { judgedAt } from "../../offline/given/verify-terms.ts"
import { AGENT_BUNDLE, recogniseFile } from "../../offline/kinds/recognise-file.ts"
import { verifyFile } from "../../offline/verify-file.ts"
import { sandboxText, verifySandboxFile } from "../../offline/verify-sandbox-file.ts"
import { EXIT_OF_VERDICT } from "../../offline/words/exit-codes.ts"
import {
  isPermission,
  proven,
  provenCase,
  textReport,
  verdictLines,
  verifiedHeadline,
} from "../../offline/words/verdict-text.ts"
import { AGENT_BUNDLE_ONLY, judgeAgentBundle } from "./agent-bundle.ts"
import type { FileName, TextName } from "./fields.ts"
import { KNOWN } from "./known.ts"
import type { Given, PageVerdict } from "./page-verdict.ts"
import { ADVICE, LABEL, NO_PERMISSION, REFUSED_TITLE, TITLE } from "./verdict-words.ts"

/** `now` is the clock of the reader's device, in milliseconds. */
export async function judge(read: Given, now: number): Promise<PageVerdict> {
  const given = { ...read, isSandbox: read.isSandbox || read.texts.environment === "sandbox" }
  const inputs = inputsOf(given)
  let command: PageVerdict["command"] = given.isSandbox ? "verify --sandbox" : "verify"
  try {
    const bundle = await agentBundleIn(inputs, given)
    if (bundle !== null) {
      command = "agent verify-bundle"
      return await judgeAgentBundle(bundle, given)
    }
    return await (given.isSandbox ? judgeSandbox(inputs) : judgeDocument(inputs, now))
  } catch (error) {
    if (!(error instanceof CommandError)) throw error
    return notJudged(error, command)
  }
}

function notJudged({ exit, message }: CommandError, command: PageVerdict["command"]): PageVerdict {
  return {
    verdict: "OPEN",
    headline: refusedHeadline("Do not rely on it yet"),
    title: TITLE.OPEN,
    ...WITHOUT_CASE,
    advice: exit === EXIT.USAGE ? "A file or a value is missing, or does not belong to this document." : ADVICE.OPEN,
    ...TIMELESS,
    lines: [{ label: "Why", texts: [message] }],
    checks: [],
    text: `bizauth: ${message}\n`,
    command,
    exit,
  }
}

const WITHOUT_CASE = { warnings: [], case: null } as const
const TIMELESS = { judgedAt: null, isDeviceTime: false } as const

/** Returns null for every other document. Throws CommandError (2) if there is none, or if it has what only such a bundle uses. */
async function agentBundleIn(inputs: VerifyInputs, { isSandbox }: Given): Promise<Uint8Array | null> {
  const { bytes } = await inputs.document()
  const onlyForAgent = AGENT_BUNDLE_ONLY.find((name) => inputs.isGiven(name))
  // A damaged file of unknown kind is what the person says it is.
  const what = recogniseFile(bytes, KNOWN.answers)?.what ?? (onlyForAgent === undefined ? "" : AGENT_BUNDLE)
  if (!isSandbox && what === AGENT_BUNDLE) return bytes
  if (onlyForAgent !== undefined) {
    throw new CommandError(EXIT.USAGE, `--${onlyForAgent}: only ${AGENT_BUNDLE} uses it`)
  }
  return null
}

async function judgeDocument(inputs: VerifyInputs, now: number): Promise<PageVerdict> {
  const result = await verifyFile(inputs, KNOWN, now)
  const { verdict, genuine } = result.judgement
  const isDeviceTime = !inputs.isGiven("at")
  const title = verdict === "REFUSED" ? REFUSED_TITLE[genuine === "NOT_GENUINE" ? "FORGED" : "OTHER"] : TITLE[verdict]
  return {
    verdict,
    headline: verifiedHeadline(result),
    title: verdict === "GOOD" && !isDeviceTime ? `${title} at the given time` : title,
    warnings: environmentWarnings(proven(result)?.environment ?? null),
    case: provenCase(result),
    advice: verdict === "GOOD" && !isPermission(result) ? NO_PERMISSION : ADVICE[verdict],
    judgedAt: formatInstant(judgedAt(inputs.text("at"), now)),
    isDeviceTime,
    lines: verdictLines(result).map(({ name, texts }) => ({ label: LABEL[name], texts })),
    checks: result.report.lines,
    text: textReport(result),
    command: "verify",
    exit: EXIT_OF_VERDICT[verdict],
  }
}

async function judgeSandbox(inputs: VerifyInputs): Promise<PageVerdict> {
  const result = await verifySandboxFile(inputs, KNOWN.crypto)
  const { verdict } = result
  const isGood = verdict === "GOOD"
  return {
    verdict,
    headline: null,
    ...WITHOUT_CASE,
    title: isGood ? "Synthetic: it decides nothing" : TITLE[verdict],
    advice: isGood ? "The sandbox made it to rehearse with. It permits nothing." : ADVICE[verdict],
    ...TIMELESS,
    lines: [],
    checks: result.report.lines,
    text: sandboxText(result),
    command: "verify --sandbox",
    exit: EXIT_OF_VERDICT[verdict],
  }
}

/** The name of a file field in the flags of the command, where they differ. */
const FIELD_OF_FLAG: Readonly<Record<string, FileName>> = { document: "listed" }

function inputsOf({ files, texts }: Given): VerifyInputs {
  const filesOf = (flag: string) => files[FIELD_OF_FLAG[flag] ?? (flag as FileName)] ?? []
  return {
    document: async () => {
      const document = files.document?.[0]
      if (document === undefined) throw new CommandError(EXIT.USAGE, "there is no document to verify")
      return document
    },
    read: async (flag) => files[flag]?.[0] ?? null,
    listed: async () => files.listed ?? [],
    text: (flag) => texts[flag],
    isGiven: (flag) => filesOf(flag).length > 0 || texts[flag as TextName] !== undefined,
    reformatted: false,
  }
}
