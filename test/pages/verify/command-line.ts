/** One line of the command gives the same files and values to the command and to the page. */

import { CommandError } from "../../../src/base/exit.ts"
import { command as verifyBundle } from "../../../src/cli/agent/verify-bundle.ts"
import { command as verify } from "../../../src/cli/documents/verify.ts"
import { failureOf } from "../../../src/cli/failure.ts"
import { documentKind } from "../../../src/offline/kinds/document-kinds.ts"
import type { FileName, TextName } from "../../../src/pages/verify/fields.ts"
import type { Given } from "../../../src/pages/verify/page-verdict.ts"
import { runCommand } from "../../fixtures/terminal.ts"
import type { Files } from "./corpus-files.ts"

const AGENT = "agent verify-bundle "
const FILE_FLAGS: Readonly<Record<string, FileName>> = {
  issuer: "issuer",
  capsule: "capsule",
  request: "request",
  check: "check",
  document: "listed",
  requirement: "requirement",
  job: "job",
  since: "since",
  receipt: "receipt",
}

const wordsOf = (line: string) => (line.startsWith(AGENT) ? line.slice(AGENT.length) : line).split(" ")

export interface RanLine {
  readonly exit: number
  /** All that the command prints: its report, or the message with which it fails. */
  readonly text: string
  readonly isReport: boolean
}

/** Runs the command in a folder, because the columns of its report depend on the names of the files as typed. */
export async function runLine(line: string, folder: string): Promise<RanLine> {
  const before = process.cwd()
  process.chdir(folder)
  try {
    const { exit, out, err } = await runCommand(line.startsWith(AGENT) ? verifyBundle : verify, wordsOf(line))
    const failure = err === "" ? "" : failureOf(new CommandError(exit, err), false).text
    return { exit, text: out + failure, isReport: failure === "" }
  } finally {
    process.chdir(before)
  }
}

/** What a person gives to the page instead. The names of files instead of their bytes. */
export interface NamedInputs {
  readonly files: Readonly<Partial<Record<FileName, readonly string[]>>>
  readonly texts: Readonly<Partial<Record<TextName, string>>>
  readonly isSandbox: boolean
}

export function inputsOfLine(line: string): NamedInputs {
  const files: Partial<Record<FileName, string[]>> = {}
  const texts: Partial<Record<TextName, string>> = {}
  let isSandbox = false
  const words = wordsOf(line)
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? ""
    const flag = word.startsWith("--") ? word.slice(2) : null
    if (flag === "sandbox") {
      isSandbox = true
      continue
    }
    const value = flag === null ? word : (words[++at] ?? "")
    const field = flag === null ? "document" : FILE_FLAGS[flag]
    if (field) files[field] = [...(files[field] ?? []), value]
    else texts[flag as TextName] = value
  }
  return { files, texts, isSandbox }
}

/** The files that these inputs name. */
export function filesOfInputs(inputs: readonly NamedInputs[], files: Files): Files {
  const names = new Set(inputs.flatMap((one) => Object.values(one.files).flat()))
  return Object.fromEntries([...names].map((name) => [name, files[name] ?? ""]))
}

export function kindOfLine(line: string, files: Files): string {
  const { files: names, isSandbox } = inputsOfLine(line)
  if (isSandbox) return "SANDBOX"
  if (line.startsWith(AGENT)) return "AGENT"
  return documentKind(new Uint8Array(Buffer.from(files[names.document?.[0] ?? ""] ?? "")))
}

export function givenByLine(line: string, files: Files): Given {
  const { files: names, ...others } = inputsOfLine(line)
  const read = (name: string) => {
    const content = files[name]
    if (content === undefined) throw new Error(`the corpus has no file ${name}`)
    return { name, bytes: typeof content === "string" ? new TextEncoder().encode(content) : content }
  }
  return {
    ...others,
    files: Object.fromEntries(Object.entries(names).map(([field, given]) => [field, given.map(read)])),
  }
}
