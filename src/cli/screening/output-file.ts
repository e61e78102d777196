/**
 * The output of `screen --file --out`: a partial file and its report until all names are screened. The report states how far the output is
 * safe. After a kill the rest is cut off and screened again, so the whole output has the bytes of a run that nobody disturbed.
 *
 * Order at the end: the output is durable, then the report says complete, then the output gets its name.
 */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  fsyncSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
} from "node:fs"
import { basename, dirname, join } from "node:path"
import { renameDurably, replaceFile, writeAll } from "../../base/durable-file.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { fileDigest } from "../../base/file-digest.ts"
import { asWriteRefusal, errnoOf } from "../../base/system-fault.ts"
import { type RunReport, readReport, reportText } from "./run-report.ts"
import { counted, NOTHING_COUNTED, type ScreenedRows, type Tally } from "./screened-rows.ts"

/** Names between two safe points: a kill costs at most these. */
export const SAFE_POINT_NAMES = 8192
const READ_AT_ONCE = 256 * 1024
const APPEND = constants.O_RDWR | constants.O_APPEND
const NEW = APPEND | constants.O_CREAT | constants.O_EXCL

interface OutputPaths {
  readonly out: string
  readonly partial: string
  readonly report: string
}

export function outputPaths(out: string, report: string | undefined): OutputPaths {
  return { out, partial: `${out}.partial`, report: report ?? `${out}.report.json` }
}

/** Builds the report for what is written so far. */
export type ReportOf = (
  output: { readonly sha256: string; readonly bytes: number },
  counts: Tally,
  complete: boolean,
) => RunReport

interface Opened {
  readonly paths: OutputPaths
  readonly conditions: string
  readonly reportOf: ReportOf
}

/** Rows as a stream of bytes, with their digest and count. */
export class CountedOutput {
  bytes = 0
  tally: Tally = NOTHING_COUNTED
  readonly #hasher = new Bun.CryptoHasher("sha256")

  add(bytes: Uint8Array, tally: Tally): void {
    this.addBytes(bytes)
    this.tally = counted(this.tally, tally)
  }

  addBytes(bytes: Uint8Array): void {
    this.#hasher.update(bytes)
    this.bytes += bytes.length
  }

  get sha256(): string {
    return `sha256:${this.#hasher.copy().digest("hex")}`
  }
}

export class OutputFile {
  readonly counted = new CountedOutput()
  #safeNames = 0

  private constructor(
    private readonly opened: Opened,
    private readonly file: number,
  ) {}

  /** A new output. Exits with 2 if a file of its names exists. */
  static create(opened: Opened, header: string): OutputFile {
    const { out, partial, report } = opened.paths
    for (const path of [out, partial, report]) if (existsSync(path)) throw taken(path, opened.paths)
    const output = new OutputFile(opened, opening(partial, NEW))
    output.write({ text: header, tally: NOTHING_COUNTED })
    output.safePoint(false)
    return output
  }

  /**
   * Continues an interrupted output, and begins one of which nothing is safe yet. Returns the report if the output is complete. Exits with 2 if the
   * output was made under other conditions, with 4 if its safe part has other bytes.
   */
  static async resume(opened: Opened, header: string): Promise<OutputFile | RunReport> {
    const { out, partial, report: path } = opened.paths
    removeLeftovers(path)
    if (!existsSync(path)) {
      if (existsSync(out)) throw taken(out, opened.paths)
      rmSync(partial, { force: true })
      return OutputFile.create(opened, header)
    }
    const report = readReport(readFileSync(path, "utf8"), path)
    if (report.conditions !== opened.conditions) throw otherConditions(opened.paths)
    if (report.complete) return await finished(opened.paths, report)
    return OutputFile.#from(opened, report)
  }

  static #from(opened: Opened, { output, counts }: RunReport): OutputFile {
    const { partial } = opened.paths
    const resumed = new OutputFile(opened, opening(partial, APPEND))
    const { counted } = resumed
    const buffer = new Uint8Array(READ_AT_ONCE)
    while (counted.bytes < output.bytes) {
      const read = readSync(
        resumed.file,
        buffer,
        0,
        Math.min(buffer.length, output.bytes - counted.bytes),
        counted.bytes,
      )
      if (read === 0) break
      counted.addBytes(buffer.subarray(0, read))
    }
    if (counted.sha256 !== output.sha256) {
      closeSync(resumed.file)
      throw changed(partial)
    }
    ftruncateSync(resumed.file, output.bytes)
    counted.tally = counts
    resumed.#safeNames = counts.names
    return resumed
  }

  /** Writes rows, and makes them safe from time to time. */
  write({ text, tally }: ScreenedRows): void {
    const bytes = Buffer.from(text)
    try {
      this.#writeAt(bytes)
    } catch (error) {
      throw asWriteRefusal(this.opened.paths.partial, error)
    }
    this.counted.add(bytes, tally)
    if (this.counted.tally.names - this.#safeNames >= SAFE_POINT_NAMES) this.safePoint(false)
  }

  /** Makes all rows safe and gives the output its name. The caller closes it. */
  finish(): RunReport {
    const report = this.safePoint(true)
    renameDurably(this.opened.paths.partial, this.opened.paths.out)
    return report
  }

  safePoint(complete: boolean): RunReport {
    const { counted, opened } = this
    // Another process that writes the same file would make its report wrong.
    if (fstatSync(this.file).size !== counted.bytes) throw changed(opened.paths.partial)
    fsyncSync(this.file)
    const report = opened.reportOf({ sha256: counted.sha256, bytes: counted.bytes }, counted.tally, complete)
    replaceFile(opened.paths.report, reportText(report))
    this.#safeNames = counted.tally.names
    return report
  }

  close(): void {
    closeSync(this.file)
  }

  #writeAt(bytes: Uint8Array): void {
    writeAll(this.file, this.opened.paths.partial, bytes)
  }
}

/** The report says complete. A kill may have come before the output got its name. */
async function finished({ out, partial }: OutputPaths, report: RunReport): Promise<RunReport> {
  const path = existsSync(out) ? out : partial
  if (!existsSync(path) || (await fileDigest(path)) !== report.output.sha256) throw changed(path)
  if (path === partial) renameDurably(partial, out)
  return report
}

/** A report that a killed process was about to replace. */
function removeLeftovers(report: string): void {
  const start = `${basename(report)}.partial-`
  const folder = dirname(report)
  if (!existsSync(folder)) return
  for (const name of readdirSync(folder)) if (name.startsWith(start)) rmSync(join(folder, name))
}

function opening(path: string, flags: number): number {
  try {
    return openSync(path, flags, 0o600)
  } catch (error) {
    if (flags === APPEND && errnoOf(error) === "ENOENT") throw changed(path)
    throw asWriteRefusal(path, error)
  }
}

function taken(path: string, { partial }: OutputPaths): CommandError {
  const wayOut =
    path === partial || existsSync(partial)
      ? "an earlier run was interrupted: --resume continues it; to begin again, remove it and its report"
      : "it is not overwritten: name another file, or remove it"
  return new CommandError(EXIT.USAGE, `${path} exists; ${wayOut}`)
}

function otherConditions({ report, partial, out }: OutputPaths): CommandError {
  return new CommandError(
    EXIT.USAGE,
    `${report} is of a run with another input, other lists or another threshold, so its rows and new ones do not belong together; ` +
      `remove ${report} and ${existsSync(out) ? out : partial}, and begin again without --resume`,
  )
}

function changed(path: string): CommandError {
  return new CommandError(
    EXIT.NOT_CHECKED,
    `${path} is missing or has other bytes than its report says; remove both, and begin again without --resume`,
  )
}
