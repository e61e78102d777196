/**
 * The lists of the corpus, in their publishers' formats and with invented parties, imported as an operator imports them. So answers keep the
 * listed entries of their hits, and a screening can be repeated from the imported bytes.
 */
import { existsSync, readdirSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { DAY, HOUR } from "../../src/core/time.ts"
import { boardByRounds } from "../../src/sources/boards/open-board.ts"
import type { SourceBoard, SourceState } from "../../src/sources/boards/source-board.ts"
import { buildDetails } from "../../src/sources/details/build-details.ts"
import { DETAILS_FILE } from "../../src/sources/details/details-file.ts"
import { EntryBook, type ListedEntries } from "../../src/sources/details/entry-book.ts"
import { REQUIRED_GB_SOURCES, REQUIRED_US_SOURCES, type SourceId } from "../../src/sources/records/party.ts"
import { type SampleFile, samCsv, sampleLists, samZip } from "../../test/fixtures/sample-lists.ts"
import { type SampleEntry, samRows } from "../../test/fixtures/sample-parties.ts"
import { WHOLE_LIST } from "../../test/fixtures/snapshot-judgement.ts"
import { type UkRow, ukSanctionsFile } from "../../test/fixtures/uk-sanctions-list.ts"
import { importBench } from "../../test/sources/import-bench.ts"
import { ADDED_SDN, LISTED_SAM, LISTED_SDN, REMOVED_SDN, UK_LISTED, UK_MATCH, UK_SIMILAR } from "./listed-parties.ts"

/** USUAL: fresh. AGING: the SDN list is older than its publisher's interval, and not yet stale. NEWER: an SDN list with more parties. */
export type UsLists = "USUAL" | "AGING" | "NEWER"

/** The UK list without a party of the cases, also AGING; with a name like a company's, or its full name; and after that name was REMOVED. */
export type UkLists = "USUAL" | "AGING" | "SIMILAR" | "MATCH" | "REMOVED"

/** A file that a repeated screening reads, by its path in the folder of all snapshots. */
export interface SnapshotFile {
  readonly path: string
  readonly bytes: Uint8Array
}

/** The imported lists at one time, with the entries of their snapshots. */
interface Edition {
  readonly board: SourceBoard
  readonly book: EntryBook
  readonly ids: ReadonlySet<string>
}

type Bench = ReturnType<typeof importBench>
type Board = "US" | "UK"

const SOURCES: Readonly<Record<Board, readonly SourceId[]>> = { US: REQUIRED_US_SOURCES, UK: REQUIRED_GB_SOURCES }

export type CorpusLists = Awaited<ReturnType<typeof openLists>>

export async function openLists() {
  const benches: Bench[] = []
  const newBench = () => {
    const bench = importBench()
    benches.push(bench)
    return bench
  }
  const us = await usEditions(newBench())
  const uk = {
    usual: await ukEdition(newBench(), [UK_LISTED]),
    similar: await ukEdition(newBench(), [UK_LISTED, UK_SIMILAR]),
    match: await ukEdition(newBench(), [UK_LISTED, UK_MATCH]),
    removed: await ukEdition(newBench(), [UK_LISTED, UK_MATCH], [UK_LISTED]),
  }
  const editions = [...Object.values(us), ...Object.values(uk)]
  const usBoards: Readonly<Record<UsLists, SourceBoard>> = {
    USUAL: us.usual.board,
    AGING: aging(us.usual.board, "US_OFAC_SDN"),
    NEWER: us.newer.board,
  }
  const ukBoards: Readonly<Record<UkLists, SourceBoard>> = {
    USUAL: uk.usual.board,
    AGING: aging(uk.usual.board, "UK_SANCTIONS_LIST"),
    SIMILAR: uk.similar.board,
    MATCH: uk.match.board,
    REMOVED: uk.removed.board,
  }
  const entries: ListedEntries = {
    entryOf: (sourceId, snapshotId, entryId) =>
      editions.find(({ ids }) => ids.has(snapshotId))?.book.entryOf(sourceId, snapshotId, entryId) ?? null,
  }
  return {
    us: (lists: UsLists) => usBoards[lists],
    uk: (lists: UkLists) => ukBoards[lists],
    entries,
    /** In the order of their paths. `ids`: of snapshots. */
    snapshotFiles: (ids: ReadonlySet<string>): readonly SnapshotFile[] =>
      benches.flatMap(({ root }) => filesOf(root, ids)).sort((one, other) => (one.path < other.path ? -1 : 1)),
    async close() {
      for (const { book } of editions) await book.stop()
      for (const bench of benches) await bench[Symbol.asyncDispose]()
    },
  }
}

async function usEditions(bench: Bench): Promise<Record<"usual" | "newer", Edition>> {
  const now = Date.now()
  const publishedAt = now - DAY
  const sdn = (extraSdn: readonly SampleEntry[]) => sampleLists({ publishedAt, extraSdn }).US_OFAC_SDN
  const usual = {
    ...sampleLists({ publishedAt }),
    US_OFAC_SDN: sdn(LISTED_SDN),
    US_SAM_EXCLUSIONS: [samZip({ publishedAt }, samCsv([...samRows, LISTED_SAM]))],
  }
  await bring(bench, "US_OFAC_SDN", { files: sdn([REMOVED_SDN, ...LISTED_SDN]), at: now - 3 * HOUR })
  for (const id of REQUIRED_US_SOURCES) await bring(bench, id, { files: usual[id], at: now - 2 * HOUR })
  const before = await opened(bench, "US")
  await bring(bench, "US_OFAC_SDN", { files: sdn([...LISTED_SDN, ...ADDED_SDN]), at: now - HOUR })
  return { usual: before, newer: await opened(bench, "US") }
}

/** Imports these publications, an hour apart. */
async function ukEdition(bench: Bench, ...publications: (readonly UkRow[])[]): Promise<Edition> {
  const now = Date.now()
  for (const [at, rows] of publications.entries()) {
    const files = [ukSanctionsFile({ publishedAt: now - DAY }, rows)]
    await bring(bench, "UK_SANCTIONS_LIST", { files, at: now - (publications.length - at) * HOUR })
  }
  return opened(bench, "UK")
}

interface Publication {
  readonly files: readonly SampleFile[]
  /** When it is imported. Milliseconds. */
  readonly at: number
}

/** Where a guard rejects it, imports it as an operator who accepts it. */
async function bring(bench: Bench, id: SourceId, { files, at }: Publication): Promise<void> {
  bench.machine.set(at)
  const tried = await bench.bring(id, files)
  if (tried.imported) return
  const again = await bench.bring(id, files, { acceptShrink: tried.rawSha256 })
  if (!again.imported) throw new Error(`${id} was not imported: ${JSON.stringify(again.findings)}`)
}

/** The lists as they are now. They stay in use when the bench imports others. */
async function opened({ store, machine, log, root }: Bench, of: Board): Promise<Edition> {
  machine.set(Date.now())
  const book = new EntryBook({ store, root, log, build: async (task) => buildDetails(task) })
  const parts = { store, machine, log, snapshotsDirectory: root, disabled: [], sources: SOURCES[of], details: book }
  const { board } = await boardByRounds(parts)
  const ids = board.states(machine.now()).flatMap(({ snapshot }) => snapshot?.snapshotId ?? [])
  return { board: changed(board, asWhole), book, ids: new Set(ids) }
}

function changed(board: SourceBoard, change: (state: SourceState) => SourceState): SourceBoard {
  return { index: board.index, states: (at) => board.states(at).map(change) }
}

/** The lists are short, and count as the publishers' whole lists. */
function asWhole({ snapshot, ...state }: SourceState): SourceState {
  const fresh = { health: "HEALTHY", freshness: "FRESH", reasonCodes: [], isAccepted: false } as const
  return { ...state, ...fresh, snapshot: snapshot && { ...snapshot, ...WHOLE_LIST } }
}

function aging(board: SourceBoard, id: SourceId): SourceBoard {
  return changed(board, (state) =>
    state.sourceId === id ? { ...state, freshness: "AGING", reasonCodes: ["SOURCE_AGING"] } : state,
  )
}

function filesOf(root: string, ids: ReadonlySet<string>): SnapshotFile[] {
  const folders = readdirSync(root).flatMap((source) => [...ids].map((id) => join(source, id)))
  return folders
    .filter((folder) => existsSync(join(root, folder)))
    .flatMap((folder) => readdirSync(join(root, folder)).map((name) => join(folder, name)))
    .filter((path) => !path.endsWith(DETAILS_FILE))
    .map((path) => ({ path, bytes: new Uint8Array(readFileSync(join(root, path))) }))
}
