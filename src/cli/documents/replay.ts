import { existsSync } from "node:fs"
import { readdir, stat } from "node:fs/promises"
import { join } from "node:path"
import type { GbFacts } from "../../../schemas/gb/supplier-facts.ts"
import type { UsFacts } from "../../../schemas/us/operation-facts.ts"
import type { UsOperationRequest } from "../../../schemas/us/operation-request.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { readFault } from "../../base/system-fault.ts"
import { readAnswerDocument } from "../../offline/kinds/answer-document.ts"
import { readDecisionDocument } from "../../offline/kinds/decision-document.ts"
import { documentKind } from "../../offline/kinds/document-kinds.ts"
import { Report } from "../../offline/report.ts"
import type { IssuerKeys } from "../../offline/steps/issuer-keys.ts"
import { EXIT_OF } from "../../offline/words/exit-codes.ts"
import { printReport } from "../../offline/words/verdict-text.ts"
import { answerBundles } from "../../products/common/answer-bundles.ts"
import { replayBundle } from "../../products/common/replay-bundle.ts"
import { ANSWER_RULES } from "../../products/products.ts"
import { decisionBundles } from "../../products/us/payment-decision/decision-bundles.ts"
import { replayDeliverable } from "../../products/us/payment-decision/replay-deliverable.ts"
import { paymentDecisionRules } from "../../products/us/payment-decision/replay-rules.ts"
import { SNAPSHOTS_FOLDER } from "../../sources/import/snapshot-files.ts"
import { type Command, type Input, JSON_FLAG, OPTIONAL_DATA_FLAG } from "../command.ts"
import { readDocumentBytes, readIssuerFile } from "./read-document.ts"

interface Replayed {
  readonly path: string
  readonly report: Report
}

/** Offline: no import of this file can use a network, and no database is opened. `--rescreen` reads only stored files. */
export const command: Command = {
  name: "replay",
  summary: "decide again from exported facts and compare byte for byte, offline",
  operands: "FILE|DIR",
  flags: {
    bundle: {
      help: "what bizauth export wrote for the decision in the deliverable of an ACP job (default FILE.bundle in the same folder)",
      value: "BUNDLE",
    },
    rescreen: { help: "also screen again, against the publishers' bytes that DIR keeps for the decision" },
    ...OPTIONAL_DATA_FLAG,
    issuer: {
      help: "JWK set of the issuer; without it the bundle's own keys are used, and the output says so",
      value: "JWKS",
    },
    ...JSON_FLAG,
  },
  examples: ["replay ./bundle.json --issuer ./issuer.jwks.json"],
  run: async (input) => {
    const [operand = "-"] = input.operands
    const issuer = input.text("issuer")
    const keys = issuer === undefined ? null : await readIssuerFile(issuer)
    const replayed: Replayed[] = []
    const snapshots = snapshotsFolder(input)
    const paths = await bundlePaths(operand)
    input.progress.step({ what: "replaying", unit: "files", total: paths.length })
    for (const path of paths) {
      const report = await replayFile(input, path, keys, snapshots)
      replayed.push({ path, report })
      input.progress.done(replayed.length)
    }
    input.out(input.on("json") ? jsonResult(replayed) : replayed.map(textResult).join("\n"))
    const conclusions = replayed.map(({ report }) => report.conclusion)
    if (conclusions.includes("INVALID")) return EXIT.INVALID
    return conclusions.includes("NOT_CHECKED") ? EXIT.NOT_CHECKED : EXIT_OF.VALID
  },
}

async function replayFile(
  input: Input,
  path: string,
  keys: IssuerKeys | null,
  snapshots: string | null,
): Promise<Report> {
  const bytes = await readDocumentBytes(path)
  const kind = documentKind(bytes)
  if (kind === "DELIVERABLE") {
    const bundle = await bundleOf(input, path)
    const report = replayDeliverable(bytes, bundle, keys, paymentDecisionRules)
    if (snapshots !== null && bundle !== null) await rescreenDelivery(snapshots, bundle, report)
    return report
  }
  if (input.text("bundle") !== undefined) {
    throw new CommandError(EXIT.USAGE, `--bundle: only a deliverable needs one, and ${path} is none`)
  }
  const isAnswer = kind === "ANSWER"
  const bundles = isAnswer ? answerBundles(ANSWER_RULES) : decisionBundles(paymentDecisionRules)
  const report = replayBundle(bytes, keys, bundles)
  if (snapshots !== null) await (isAnswer ? rescreenAnswer : rescreenDelivery)(snapshots, bytes, report)
  return report
}

/** Null without `--bundle` and without a file beside the deliverable. */
async function bundleOf(input: Input, path: string): Promise<Uint8Array | null> {
  const given = input.text("bundle")
  if (given !== undefined) return readDocumentBytes(given)
  const beside = `${path}.bundle`
  return path !== "-" && existsSync(beside) ? readDocumentBytes(beside) : null
}

/** Null without `--rescreen`. */
function snapshotsFolder(input: Input): string | null {
  if (!input.on("rescreen")) return null
  const directory = input.text("data") ?? input.environment["BIZAUTH_DATA"]
  if (directory === undefined) throw new CommandError(EXIT.USAGE, "--rescreen needs --data DIR (or BIZAUTH_DATA)")
  return join(directory, SNAPSHOTS_FOLDER)
}

/** The replay has already reported a document that is not a bundle. */
async function rescreenDelivery(snapshots: string, bytes: Uint8Array, report: Report): Promise<void> {
  const bundle = readDecisionDocument(bytes, new Report())?.bundle
  if (!bundle) return
  const { rescreen } = await import("../../products/us/payment-decision/rescreen.ts")
  rescreen(report, snapshots, bundle.request, bundle.facts)
}

async function rescreenAnswer(snapshots: string, bytes: Uint8Array, report: Report): Promise<void> {
  const document = readAnswerDocument(bytes, ANSWER_RULES, new Report())
  if (!document?.bundle) return
  // The closed schemas of every product of the country have accepted them.
  const { request, facts } = document.bundle
  if (document.rules.country === "US") {
    const { rescreenOperation } = await import("../../products/us/rescreen.ts")
    rescreenOperation(report, snapshots, request as UsOperationRequest, facts as UsFacts)
  } else {
    const { rescreenUkAnswer } = await import("../../products/gb/rescreen.ts")
    rescreenUkAnswer(report, snapshots, request as { company_number: string } & typeof request, facts as GbFacts)
  }
}

/** Returns a file as it is; for a directory its direct `.json` files, in name order. */
async function bundlePaths(operand: string): Promise<string[]> {
  if (operand === "-") return [operand]
  let isDirectory: boolean
  try {
    isDirectory = (await stat(operand)).isDirectory()
  } catch (error) {
    throw new CommandError(EXIT.NOT_CHECKED, `cannot read ${operand}: ${readFault(error)}`)
  }
  if (!isDirectory) return [operand]
  const names = (await namesIn(operand)).filter((name) => name.endsWith(".json")).sort()
  if (names.length === 0) throw new CommandError(EXIT.NOT_FOUND, `no .json file in ${operand}`)
  return names.map((name) => join(operand, name))
}

function textResult({ path, report }: Replayed): string {
  return `${path}\n${printReport(report)}${report.conclusion === "VALID" ? "same decision" : report.conclusion}\n`
}

function jsonResult(replayed: readonly Replayed[]): string {
  const files = replayed.map(({ path, report }) => ({ file: path, result: report.conclusion, checks: report.lines }))
  return `${JSON.stringify({ version: 1, files })}\n`
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    throw new CommandError(EXIT.NOT_CHECKED, `cannot read ${folder}: ${readFault(error)}`)
  }
}
