import { readFile } from "node:fs/promises"
import { recogniseFile } from "../../catalogue/recognise-file.ts"
import { NATIVE_CRYPTO } from "../../core/native-crypto.ts"
import { type JsonValue, readJson, StrictJsonError } from "../../core/strict-json.ts"
import { type IssuerKeys, readIssuerKeys } from "../../documents/issuer-keys.ts"
import { unreadable } from "../../documents/read-document.ts"
import type { Conclusion, Report } from "../../documents/report.ts"
import { CommandError, EXIT, type ExitCode } from "../../exit.ts"
import { readFault } from "../../system-fault.ts"

/** Returns the bytes of a file, or of standard input for `-`. Exit 4 if they cannot be read, because then nothing could be checked. */
export async function readDocumentBytes(path: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await readFile(path === "-" ? "/dev/stdin" : path))
  } catch (error) {
    throw new CommandError(EXIT.NOT_CHECKED, `cannot read ${path}: ${readFault(error)}`)
  }
}

export async function readDocumentJson(path: string): Promise<JsonValue> {
  return jsonOf(path, await readDocumentBytes(path))
}

function jsonOf(path: string, bytes: Uint8Array): JsonValue {
  try {
    return readJson(bytes)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new CommandError(EXIT.NOT_CHECKED, `${path} is not strict JSON: ${unreadable(bytes, error)}`)
  }
}

export async function readIssuerFile(path: string): Promise<IssuerKeys> {
  const bytes = await readDocumentBytes(path)
  const keys = readIssuerKeys(jsonOf(path, bytes), NATIVE_CRYPTO)
  if (keys) return keys
  const instead = recogniseFile(bytes)
  throw new CommandError(
    EXIT.NOT_CHECKED,
    `${path} is not a set of public keys${instead === null ? "" : `: ${instead.sentence}`}`,
  )
}

export const EXIT_OF: Readonly<Record<Conclusion, ExitCode>> = {
  VALID: EXIT.DONE,
  INVALID: EXIT.INVALID,
  NOT_CHECKED: EXIT.NOT_CHECKED,
}

const LABEL = { OK: "ok  ", INVALID: "FAIL", UNCHECKED: "????", REFORMATTED: "note", NOTE: "note" } as const

/** One line per check: state, check, detail. */
export function printReport(report: Report): string {
  const width = Math.max(0, ...report.lines.map((line) => line.check.length))
  return report.lines.map((line) => `${LABEL[line.state]}  ${line.check.padEnd(width)}  ${line.detail}\n`).join("")
}
