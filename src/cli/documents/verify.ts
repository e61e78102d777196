import { existsSync } from "node:fs"
import { realMachine } from "../../base/machine.ts"
import type { GivenFile } from "../../offline/given/given-files.ts"
import type { VerifyInputs } from "../../offline/given/verify-inputs.ts"
import { verifyFile } from "../../offline/verify-file.ts"
import { EXIT_OF_VERDICT } from "../../offline/words/exit-codes.ts"
import { textReport } from "../../offline/words/verdict-text.ts"
import type { Command, Input } from "../command.ts"
import { DELIVERABLE_FLAGS } from "./deliverable-flags.ts"
import { KNOWN } from "./known-documents.ts"
import { readGivenFile } from "./read-document.ts"
import { textWidth } from "./text-width.ts"
import { AT_FLAG, REQUIRE_FLAG } from "./verify-flags.ts"
import { jsonReport } from "./verify-report.ts"
import { runVerifySandbox } from "./verify-sandbox.ts"

/** Offline: no import of this file can use a network, and no data directory is opened. */
export const command: Command = {
  name: "verify",
  summary:
    "verify a delivery, the deliverable of an ACP job, an answer, a bundle, a passport, a capability manifest or a service proof offline",
  operands: "FILE",
  flags: {
    issuer: {
      help: "JWK set of the issuer, obtained separately from the delivery; with --sandbox the pinned sandbox key",
      value: "JWKS",
      required: true,
    },
    sandbox: {
      help: "FILE is a synthetic document of the sandbox in its wrapper; nothing else is accepted (or --environment sandbox)",
    },
    capsule: { help: "signed capsule of an answer (default FILE.capsule in the same folder)", value: "CAPSULE" },
    check: { help: "answer or bundle that a passport was made from: exit 3 if they differ", value: "ANSWER" },
    document: {
      help: "file that a manifest or a service proof must list by its digest; may be repeated",
      value: "DOCUMENT",
      repeats: true,
    },
    ...AT_FLAG,
    ...DELIVERABLE_FLAGS,
    request: { help: "the document must answer exactly this request", value: "REQUEST" },
    ...REQUIRE_FLAG,
    reformatted: {
      help: "not needed: a reformatted copy is accepted and reported; only `result` of --json still depends on it",
    },
    json: { help: "machine-readable output, version 2" },
  },
  examples: [
    "verify ./delivery.json --issuer ./issuer.jwks.json --request ./request.json --require RELEASE_PAYMENT --environment test",
    "verify ./job/deliverable.json --requirement ./job/final.json --job ./job/job.json --issuer ./job/issuer.jwks.json --at 2026-11-20T10:10:00Z",
  ],
  run: async (input) => {
    if (input.on("sandbox") || input.text("environment") === "sandbox") return runVerifySandbox(input, inputsOf(input))
    input.need("issuer")
    const answer = await verifyFile(inputsOf(input), KNOWN, realMachine.now())
    const width = textWidth(input.environment)
    input.out(input.on("json") ? jsonReport(answer) : textReport(answer, { width }))
    return EXIT_OF_VERDICT[answer.judgement.verdict]
  },
}

function inputsOf(input: Input): VerifyInputs {
  const [path = "-"] = input.operands
  const pathOf = (flag: string) => input.text(flag) ?? (flag === "capsule" ? besideIt(path) : null)
  const fileAt = (given: string | null): Promise<GivenFile> | null => (given === null ? null : readGivenFile(given))
  return {
    document: () => readGivenFile(path),
    read: async (flag) => fileAt(pathOf(flag)),
    listed: () => Promise.all(input.texts("document").map(readGivenFile)),
    text: (flag) => input.text(flag),
    isGiven: (flag) => input.texts(flag).length > 0,
    reformatted: input.on("reformatted"),
  }
}

/** Returns the path where `agent pay` writes an answer's capsule; null if there is none. */
function besideIt(path: string): string | null {
  const beside = `${path}.capsule`
  return path !== "-" && existsSync(beside) ? beside : null
}
