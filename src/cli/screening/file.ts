/** Screens a file of names as a stream: one row in, one row out, for any length. */
import { open } from "node:fs/promises"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type LongWork, UNWATCHED } from "../../base/long-work.ts"
import { errnoOf, readFault } from "../../base/system-fault.ts"
import { canonicalize } from "../../core/canonical-json.ts"
import { unhealthy } from "../../sources/boards/provable-state.ts"
import { CsvBroken } from "../../sources/formats/csv-stream.ts"
import { type NameRow, readNames } from "../../sources/screening/names-file.ts"
import type { ScreenQuery, ScreenResult } from "../../sources/screening/screen.ts"
import type { Input } from "../command.ts"
import { csvLine } from "../csv-line.ts"
import { digits } from "../progress-text.ts"
import { incompleteLines, resultOf, type ScreeningLists, screenIn } from "./screening-lists.ts"

interface FileScreening {
  readonly path: string
  readonly threshold: number
  readonly json: boolean
}

const HEADER = ["id", "name", "state", "best_score", "basis", "source_id", "entry_id", "matched_name"]
/** Rows screened before they are written: enough for efficient writes, few enough for a progress line. */
const ROWS_AT_ONCE = 256

export async function screenFile(input: Input, lists: ScreeningLists, screening: FileScreening): Promise<ExitCode> {
  const { path, threshold, json } = screening
  for (const line of incompleteLines(lists)) input.err(`${line}\n`)
  const output = json
    ? (row: NameRow, result: ScreenResult) => jsonLine(lists, row, result, threshold)
    : (row: NameRow, result: ScreenResult) => csvLine(cellsOf(row, result))
  const source = await openNames(path)
  const screened = new ScreenedNames(source, workOf(input))
  try {
    if (!json) await written(input, csvLine(HEADER))
    for await (const names of readNames(source.chunks)) {
      screened.beginBlock()
      for (let from = 0; from < names.length; from += ROWS_AT_ONCE) {
        const slice = names.slice(from, from + ROWS_AT_ONCE)
        await written(input, slice.map((row) => output(row, screenIn(lists, queryOf(row, threshold)))).join(""))
        screened.add(slice.length, (from + slice.length) / names.length)
      }
    }
  } catch (error) {
    throw asFileRefusal(error, path, screened.count)
  } finally {
    source.chunks.destroy()
    input.progress.end()
  }
  if (input.isWatched) input.err(`${digits(screened.count)} names screened\n`)
  if (unhealthy(lists.sources).length === 0) return EXIT.DONE
  input.err("no name is CLEAR until every list named above is in use and current\n")
  return EXIT.NOT_CHECKED
}

/** No line is drawn between rows that go to the same terminal: they show the progress themselves. */
function workOf({ drawsLines, isWatched, progress }: Input): LongWork {
  return drawsLines && !isWatched ? UNWATCHED : progress
}

type NamesFile = Awaited<ReturnType<typeof openNames>>

/** Counts names, and the bytes of the file that they came from. */
class ScreenedNames {
  count = 0
  /** Bytes read before the present block of names, and with it. */
  private readBefore = 0
  private readWith = 0

  constructor(
    private readonly file: NamesFile,
    private readonly work: LongWork,
  ) {
    // A pipe has no size: then only its names are counted.
    const counted = file.size > 0 ? { unit: "bytes", total: file.size } : { unit: "names", total: null }
    work.step({ what: "screening", ...counted })
  }

  beginBlock(): void {
    this.readBefore = this.readWith
    this.readWith = this.file.chunks.bytesRead
  }

  /** `share`: 0 to 1 of the present block. */
  add(names: number, share: number): void {
    this.count += names
    if (this.file.size === 0) this.work.done(this.count)
    else {
      const bytes = this.readBefore + Math.floor((this.readWith - this.readBefore) * share)
      this.work.done(bytes, { also: `${digits(this.count)} names` })
    }
  }
}

async function openNames(path: string) {
  try {
    const file = await open(path)
    const { size } = await file.stat()
    return { chunks: file.createReadStream(), size }
  } catch (error) {
    throw asFileRefusal(error, path, 0)
  }
}

function queryOf({ name, type, country }: NameRow, threshold: number): ScreenQuery {
  return { name, type, identifiers: [], countries: country === null ? [] : [country], threshold }
}

/**
 * CHOICE: a file has one state in addition to CLEAR, POSSIBLE_MATCH, MATCH and SCRIPT_UNSUPPORTED: INSUFFICIENT, if there is neither a hit
 * nor enough data for CLEAR. A condition alone is a POSSIBLE_MATCH, because a person must read the condition.
 */
function stateOf({ state }: ScreenResult): string {
  return state === "PROGRAM_CONDITION" ? "POSSIBLE_MATCH" : state
}

/**
 * The row names the worst hit and its score; also a suppressed hit if it still causes a hold. Without a hit the score is that of the best
 * near miss, which is not named.
 */
function cellsOf({ id, name }: NameRow, result: ScreenResult): readonly string[] {
  const hit = result.hits[0] ?? result.suppressedHits.find(({ tier }) => tier === "BLOCK")
  const found = hit ? [hit.basis, hit.sourceId, hit.entryId, hit.matchedName] : ["", "", "", ""]
  return [id, name, stateOf(result), (hit?.score ?? result.bestScore).toFixed(4), ...found]
}

function jsonLine(lists: ScreeningLists, row: NameRow, result: ScreenResult, threshold: number): string {
  return `${canonicalize({ ...resultOf(lists, result, threshold), ...row, state: stateOf(result) })}\n`
}

/** Waits for the reader, so that a slow reader does not fill the memory. */
async function written(input: Input, text: string): Promise<void> {
  try {
    await input.outTaken(text)
  } catch (error) {
    const why = error instanceof Error && "code" in error ? String(error.code) : String(error)
    throw new CommandError(
      EXIT.NOT_CHECKED,
      `the output cannot be written (${why}); the names after it are not screened`,
    )
  }
}

function asFileRefusal(error: unknown, path: string, screened: number): unknown {
  if (error instanceof CsvBroken) {
    const done = `screened and written: ${screened} names before it, none after it`
    return new CommandError(EXIT.NOT_CHECKED, `${path} line ${error.line}: ${error.message}\n${done}`)
  }
  // Any other error is a bug and is not converted.
  if (error instanceof CommandError || errnoOf(error) === null) return error
  return new CommandError(
    EXIT.NOT_CHECKED,
    `cannot read ${path}: ${readFault(error)}; screened and written: ${screened} names`,
  )
}
