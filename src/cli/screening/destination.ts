/** Where the rows of `screen --file` go: to standard output, or to a named file that an interrupted run can continue. */
import { writeNewFile } from "../../base/durable-file.ts"
import { CommandError, EXIT } from "../../base/exit.ts"
import { fileDigest } from "../../base/file-digest.ts"
import { realMachine } from "../../base/machine.ts"
import { asWriteRefusal } from "../../base/system-fault.ts"
import { formatInstant } from "../../core/time.ts"
import type { Input } from "../command.ts"
import { CountedOutput, OutputFile, outputPaths, type ReportOf } from "./output-file.ts"
import { type RunReport, type RunTerms, reportText, runTerms, type ScreenedBytes } from "./run-report.ts"
import { NOTHING_COUNTED, ROW_HEADER, type ScreenedRows } from "./screened-rows.ts"
import type { LoadedLists } from "./screening-lists.ts"

export interface DestinationOptions {
  /** The file of names. */
  readonly path: string
  readonly threshold: number
  readonly json: boolean
  /** New file for the rows; undefined for standard output. */
  readonly out: string | undefined
  /** New file for the report; undefined for its name beside `out`, and for none without `out`. */
  readonly report: string | undefined
  readonly resume: boolean
}

export interface Destination {
  /** What is written so far, also by an interrupted run. */
  readonly counted: CountedOutput
  /** Call it once before the first rows. */
  begin(): Promise<void>
  write(rows: ScreenedRows): Promise<void>
  /** All rows are written. `read`: what was read of the file of names. Exits with 4 if that is not what the run began with. */
  finish(read: ScreenedBytes): RunReport
  /** Leaves the destination as it is. */
  close(): void
}

/** The file of names, as far as a destination asks for it. */
interface NamesSize {
  readonly size: number
  /** False for a pipe or a device. */
  readonly isFile: boolean
}

/** Returns the report of a run that was complete before. */
export async function openDestination(
  input: Input,
  lists: LoadedLists,
  names: NamesSize,
  options: DestinationOptions,
): Promise<Destination | RunReport> {
  const { path, out, resume, json } = options
  if (out === undefined) return new StandardOutput(input, lists, options)
  if (!names.isFile)
    throw new CommandError(
      EXIT.USAGE,
      `${path} is not a plain file; --out needs one, because a run that is continued reads it again`,
    )
  input.progress.step({ what: "reading the file of names for its digest", size: names.size })
  const terms = runTerms(lists, options, { sha256: await fileDigest(path), bytes: names.size })
  const paths = outputPaths(out, options.report)
  const opened = { paths, conditions: terms.conditions, reportOf: reportWith(terms, json) }
  const header = json ? "" : ROW_HEADER
  const file = resume ? await OutputFile.resume(opened, header) : OutputFile.create(opened, header)
  return file instanceof OutputFile ? new NamedOutput(file, terms, path) : file
}

function reportWith(terms: RunTerms, json: boolean): ReportOf {
  return (output, counts, complete) => ({
    ...terms,
    ...{ complete, finished_at: complete ? formatInstant(realMachine.now()) : null },
    output: { ...output, form: json ? "JSON_LINES" : "CSV" },
    counts,
  })
}

class NamedOutput implements Destination {
  constructor(
    private readonly file: OutputFile,
    private readonly terms: RunTerms,
    private readonly names: string,
  ) {}

  get counted(): CountedOutput {
    return this.file.counted
  }

  /** The file has its header from the beginning. */
  async begin(): Promise<void> {}

  async write(rows: ScreenedRows): Promise<void> {
    this.file.write(rows)
  }

  finish({ sha256, bytes }: ScreenedBytes): RunReport {
    const { input } = this.terms
    if (sha256 === input.sha256 && bytes === input.bytes) return this.file.finish()
    throw new CommandError(EXIT.NOT_CHECKED, `${this.names} changed while it was screened; the output is not complete`)
  }

  close(): void {
    this.file.close()
  }
}

class StandardOutput implements Destination {
  readonly counted = new CountedOutput()

  constructor(
    private readonly input: Input,
    private readonly lists: LoadedLists,
    private readonly options: DestinationOptions,
  ) {}

  async begin(): Promise<void> {
    if (!this.options.json) await this.write({ text: ROW_HEADER, tally: NOTHING_COUNTED })
  }

  /** Waits for the reader, so that a slow reader does not fill the memory. */
  async write({ text, tally }: ScreenedRows): Promise<void> {
    try {
      await this.input.outTaken(text)
    } catch (error) {
      const why = error instanceof Error && "code" in error ? String(error.code) : String(error)
      throw new CommandError(
        EXIT.NOT_CHECKED,
        `the output cannot be written (${why}); the names after it are not screened`,
      )
    }
    this.counted.add(Buffer.from(text), tally)
  }

  finish(read: ScreenedBytes): RunReport {
    const { lists, options, counted } = this
    const { sha256, bytes, tally } = counted
    const report = reportWith(runTerms(lists, options, read), options.json)({ sha256, bytes }, tally, true)
    if (options.report !== undefined) writeReport(options.report, report)
    return report
  }

  close(): void {}
}

function writeReport(path: string, report: RunReport): void {
  try {
    writeNewFile(path, [reportText(report)])
  } catch (error) {
    throw asWriteRefusal(path, error)
  }
}
