import { readFile } from "node:fs/promises"
import { type JsonValue, readJson, StrictJsonError } from "../core/strict-json.ts"
import { type IssuerKeys, readIssuerKeys } from "../delivery/issuer-keys.ts"
import type { Conclusion, Report } from "../delivery/report.ts"
import { CommandError, EXIT, type ExitCode } from "./exit.ts"

/** The bytes of a file, or of standard input for `-`. What cannot be read could not be checked: exit 4. */
export async function readDocumentBytes(path: string): Promise<Uint8Array> {
  try {
    return new Uint8Array(await readFile(path === "-" ? "/dev/stdin" : path))
  } catch (error) {
    throw new CommandError(
      EXIT.NOT_CHECKED,
      `cannot read ${path}: ${error instanceof Error ? error.message : "unknown"}`,
    )
  }
}

export async function readDocumentJson(path: string): Promise<JsonValue> {
  const bytes = await readDocumentBytes(path)
  try {
    return readJson(bytes)
  } catch (error) {
    if (!(error instanceof StrictJsonError)) throw error
    throw new CommandError(EXIT.NOT_CHECKED, `${path} is not strict JSON: ${error.message}`)
  }
}

export async function readIssuerFile(path: string): Promise<IssuerKeys> {
  const keys = readIssuerKeys(await readDocumentJson(path))
  if (!keys) throw new CommandError(EXIT.NOT_CHECKED, `${path} is not a set of public keys`)
  return keys
}

export const EXIT_OF: Readonly<Record<Conclusion, ExitCode>> = {
  VALID: EXIT.DONE,
  INVALID: EXIT.INVALID,
  NOT_CHECKED: EXIT.NOT_CHECKED,
}

const LABEL = { OK: "ok  ", INVALID: "FAIL", UNCHECKED: "????", NOTE: "note" } as const

/** One line per check: state, check, detail. */
export function printReport(report: Report): string {
  const width = Math.max(0, ...report.lines.map((line) => line.check.length))
  return report.lines.map((line) => `${LABEL[line.state]}  ${line.check.padEnd(width)}  ${line.detail}\n`).join("")
}
