/** Screens a file of names as a stream: one row in, one row out, for any length. */
import { open } from "node:fs/promises"
import { CommandError, EXIT, type ExitCode } from "../../base/exit.ts"
import { type LongWork, UNWATCHED } from "../../base/long-work.ts"
import { realMachine } from "../../base/machine.ts"
import { errnoOf, readFault } from "../../base/system-fault.ts"
import { unhealthy } from "../../sources/boards/provable-state.ts"
import { CsvBroken } from "../../sources/formats/csv-stream.ts"
import { readNames } from "../../sources/screening/names-file.ts"
import type { Input } from "../command.ts"
import { digits } from "../progress-text.ts"
import { type Destination, type DestinationOptions, openDestination } from "./destination.ts"
import { openScreener, type RowScreener } from "./row-screener.ts"
import { type RunReport, reportText, summaryText } from "./run-report.ts"
import { incompleteLines, type LoadedLists } from "./screening-lists.ts"

export interface FileScreening extends DestinationOptions {
  /** Undefined: one for each processor, and one for a short file. */
  readonly threads: number | undefined
}

/** Rows screened before they are written: enough for efficient writes, few enough for a progress line. */
const ROWS_AT_ONCE = 256
/** A shorter file is screened before the threads have started. */
const THREADS_FROM_BYTES = 256 * 1024
const THREADS_DEFAULT_MAX = 8

export async function screenFile(input: Input, lists: LoadedLists, screening: FileScreening): Promise<ExitCode> {
  for (const line of incompleteLines(lists)) input.err(`${line}\n`)
  const source = await openNames(screening.path)
  try {
    const destination = await openDestination(input, lists, source, screening)
    const isComplete = "complete" in destination
    if (isComplete) input.err(`${screening.out} was complete before; nothing was screened\n`)
    post(
      input,
      screening,
      isComplete ? destination : await screened(input, lists, { ...screening, source, destination }),
    )
  } finally {
    source.close()
    input.progress.end()
  }
  if (unhealthy(lists.sources).length === 0) return EXIT.DONE
  input.err("no name is CLEAR until every list named above is in use and current\n")
  return EXIT.NOT_CHECKED
}

interface Run extends FileScreening {
  readonly source: NamesFile
  readonly destination: Destination
}

async function screened(input: Input, lists: LoadedLists, run: Run): Promise<RunReport> {
  const { source, destination, path, threshold, json } = run
  const { names: skip } = destination.counted.tally
  input.progress.step({ what: "building the index of names" })
  const screener = openScreener(lists, { threshold, json }, threadsFor(run.threads, source.size))
  input.progress.clear()
  const names = new ScreenedNames(source, workOf(input), skip)
  try {
    await destination.begin()
    await screenAll(run, { screener, names, skip })
    return destination.finish({ sha256: source.sha256(), bytes: source.bytesRead() })
  } catch (error) {
    throw asFileRefusal(error, path, names.count)
  } finally {
    screener.close()
    destination.close()
  }
}

interface Work {
  readonly screener: RowScreener
  readonly names: ScreenedNames
  /** Names that an interrupted run has written. */
  readonly skip: number
}

async function screenAll({ source, destination }: Run, { screener, names, skip }: Work): Promise<void> {
  const pending: BlockEnd[] = []
  const writeFirst = async () => {
    await destination.write(await screener.next())
    const end = pending.shift()
    if (end) names.add(end)
  }
  let left = skip
  let broken: CsvBroken | null = null
  try {
    for await (const rows of readNames(source.chunks)) {
      names.beginBlock()
      for (let from = 0; from < rows.length; from += ROWS_AT_ONCE) {
        const block = rows.slice(from, from + ROWS_AT_ONCE)
        const due = block.slice(left)
        left = Math.max(0, left - block.length)
        if (due.length === 0) continue
        screener.give(due)
        pending.push(names.endOf(due.length, (from + block.length) / rows.length))
        if (pending.length >= screener.ahead) await writeFirst()
      }
    }
  } catch (error) {
    if (!(error instanceof CsvBroken)) throw error
    broken = error
  }
  while (pending.length > 0) await writeFirst()
  if (broken) throw broken
}

function threadsFor(given: number | undefined, size: number): number {
  if (given !== undefined) return given
  return size < THREADS_FROM_BYTES ? 1 : Math.min(realMachine.processors, THREADS_DEFAULT_MAX)
}

/** With a named output, standard output is free for the summary. */
function post(input: Input, { out, json }: FileScreening, report: RunReport): void {
  if (out !== undefined) input.out(json ? reportText(report) : summaryText(report))
  else if (input.isWatched) input.err(`${digits(report.counts.names)} names screened\n`)
}

/** No line is drawn between rows that go to the same terminal: they show the progress themselves. */
function workOf({ drawsLines, isWatched, progress }: Input): LongWork {
  return drawsLines && !isWatched ? UNWATCHED : progress
}

/** Names that were written, and the bytes of the file up to their end. */
interface BlockEnd {
  readonly names: number
  readonly bytes: number
}

/** Counts names, and the bytes of the file that they came from. */
class ScreenedNames {
  /** Bytes read before the present block of names, and with it. */
  private readBefore = 0
  private readWith = 0

  constructor(
    private readonly file: NamesFile,
    private readonly work: LongWork,
    public count: number,
  ) {
    // A pipe has no size: then only its names are counted.
    const counted = file.size > 0 ? { unit: "bytes", total: file.size } : { unit: "names", total: null }
    work.step({ what: "screening", ...counted })
  }

  beginBlock(): void {
    this.readBefore = this.readWith
    this.readWith = this.file.bytesRead()
  }

  /** `share`: 0 to 1 of the present block. */
  endOf(names: number, share: number): BlockEnd {
    return { names, bytes: this.readBefore + Math.floor((this.readWith - this.readBefore) * share) }
  }

  add({ names, bytes }: BlockEnd): void {
    this.count += names
    if (this.file.size === 0) this.work.done(this.count)
    else this.work.done(bytes, { also: `${digits(this.count)} names` })
  }
}

type NamesFile = Awaited<ReturnType<typeof openNames>>

export async function openNames(path: string) {
  try {
    const file = await open(path)
    const facts = await file.stat()
    const stream = file.createReadStream()
    const hasher = new Bun.CryptoHasher("sha256")
    return {
      size: facts.size,
      isFile: facts.isFile(),
      chunks: hashed(stream, hasher),
      bytesRead: () => stream.bytesRead,
      /** Of all that was read. */
      sha256: () => `sha256:${hasher.copy().digest("hex")}`,
      close: () => void stream.destroy(),
    }
  } catch (error) {
    throw asFileRefusal(error, path, 0)
  }
}

async function* hashed(chunks: AsyncIterable<Uint8Array>, hasher: Bun.CryptoHasher): AsyncGenerator<Uint8Array> {
  for await (const chunk of chunks) {
    hasher.update(chunk)
    yield chunk
  }
}

export function asFileRefusal(error: unknown, path: string, screened: number): unknown {
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
