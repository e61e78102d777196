/** `sources import` for a register: the same command, for files too large for memory. */
import type { Config } from "../../base/config.ts"
import { EXIT, type ExitCode } from "../../base/exit.ts"
import { realMachine } from "../../base/machine.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { importRegister, type RegisterImportReport, registerRetrieval } from "../../sources/import/import-register.ts"
import type { FoundInput } from "../../sources/import/read-input.ts"
import { readRegisterInput } from "../../sources/import/register-input.ts"
import type { RegisterAdapter } from "../../sources/records/register-adapter.ts"
import type { Input } from "../command.ts"
import { openData } from "../inputs.ts"
import { importOptions } from "./import-options.ts"
import { importAsJson, publicationLines } from "./import-report.ts"
import { inUseFor } from "./in-use.ts"
import { asImportRefusal, asInputRefusal } from "./source-argument.ts"

export async function importRegisterFiles(
  input: Input,
  config: Config,
  adapter: RegisterAdapter,
  paths: readonly string[],
  pinned: readonly string[],
): Promise<ExitCode> {
  const files = found(paths, adapter, pinned)
  const options = importOptions(input, registerRetrieval(files))
  const { store, paths: data, environment } = await openData(input)
  try {
    const context = {
      store,
      machine: realMachine,
      root: data.snapshots,
      environment,
      adapter,
      work: input.progress,
    }
    const report = await importRegister(context, files, options)
    if (input.on("json")) input.out(`${canonicalize(registerAsJson(report))}\n`)
    else {
      // First what was done: it stays done whatever happens next.
      input.out(registerForPeople(report))
      if (report.imported) input.out(`\n${await inUseFor(input, config, store)}`)
    }
    return report.imported ? EXIT.DONE : EXIT.INVALID
  } catch (error) {
    throw asImportRefusal(error)
  } finally {
    await store.close()
  }
}

function found(paths: readonly string[], { id }: RegisterAdapter, pinned: readonly string[]): FoundInput {
  try {
    return readRegisterInput(paths, id, pinned)
  } catch (error) {
    throw asInputRefusal(error)
  }
}

export function registerAsJson(report: RegisterImportReport) {
  return importAsJson(report, { entries: report.entries, failed: report.failed, ...report.counts })
}

export function registerForPeople(report: RegisterImportReport): string {
  const lines = [
    `${report.imported ? "imported" : "refused"}  ${report.sourceId}  ${report.version}`,
    `  entries ${report.entries}  rows ${report.counts["rows"]}  unreadable ${report.failed}`,
    ...publicationLines(report),
    `  retrieved ${report.retrievedAt}  raw ${report.rawSha256}`,
    ...report.findings.map(
      ({ code, severity, detail, file }) => `  ${severity}  ${code}  ${file ? `${file}: ` : ""}${detail}`,
    ),
    ...(report.imported ? [] : ["  the active snapshot is unchanged"]),
  ]
  return `${lines.join("\n")}\n`
}
