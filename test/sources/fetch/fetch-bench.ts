/** Whole rounds against a publisher on the loopback, with a real database and folder and a clock that the test sets. */
import { existsSync } from "node:fs"
import { join } from "node:path"
import { UNWATCHED } from "../../../src/base/long-work.ts"
import { formatInstant } from "../../../src/core/time.ts"
import { openBoard } from "../../../src/sources/boards/open-board.ts"
import { fetchRound, type RoundContext, type RoundReport } from "../../../src/sources/fetch/fetch-round.ts"
import { fetchTarget, type TargetContext } from "../../../src/sources/fetch/fetch-target.ts"
import { type Network, realNetwork } from "../../../src/sources/fetch/network.ts"
import type { TransferLimits } from "../../../src/sources/fetch/transfer-limits.ts"
import { listSource } from "../../../src/sources/import/source.ts"
import { ADAPTERS } from "../../../src/sources/list-registry.ts"
import type { SourceAdapter } from "../../../src/sources/records/adapter.ts"
import { SOURCE_IDS, type SourceId } from "../../../src/sources/records/party.ts"
import { sourceCheck } from "../../../src/store/sources/source-checks.ts"
import { SHORT_LIMITS } from "../../fixtures/downloads.ts"
import { mirrorBelow } from "../../fixtures/mirror-below.ts"
import { type Answer, file, publisher } from "../../fixtures/publisher.ts"
import type { SampleFile } from "../../fixtures/sample-lists.ts"
import { importBench } from "../import-bench.ts"

export const SDN = "US_OFAC_SDN"
export const CSL = "US_TRADE_CSL"
export const UK = "UK_SANCTIONS_LIST"

/** Enough invented parties for a meaningful share of removed entries. */
export const CROWD = Array.from({ length: 60 }, (_, index) => ({
  number: 90200 + index,
  name: `QUILLFEATHER HOLDINGS NUMBER ${index}`,
  programs: ["SDGT"],
}))

export const listTarget = (adapter: SourceAdapter, context: TargetContext) => fetchTarget(listSource(adapter), context)

export interface RoundOptions {
  /** Replaces the mirror: this network leads the publishers' own addresses to the test's server. */
  readonly network?: Network
  readonly limits?: Partial<TransferLimits>
  readonly samKey?: string
}

export async function fetchBench(isSecure = false) {
  const bench = importBench()
  const server = await publisher(isSecure)
  const waited: number[] = []
  const operator = {
    ...bench,
    server,
    waited,
    staging: (id: SourceId) => existsSync(join(bench.root, ".fetch", id)),
    /** Puts these files on the mirror, each with a tag of its bytes, and removes earlier files of the source. */
    offer(id: SourceId, files: readonly SampleFile[], headers: Readonly<Record<string, string>> = {}): void {
      for (const { name, bytes } of files) {
        const tags = { ETag: `"${Bun.hash(bytes)}"`, "Last-Modified": new Date(bench.machine.now()).toUTCString() }
        server.answer(`/${id}/${name}`, file(bytes, { ...tags, ...headers }))
      }
    },
    answer: (id: SourceId, name: string, answer: Answer | null) => server.answer(`/${id}/${name}`, answer),
    context({ network, limits, samKey }: RoundOptions = {}): RoundContext {
      return {
        ...bench,
        transport: {
          network: network ?? realNetwork,
          mirror: network ? null : mirrorBelow(`http://127.0.0.1:${server.port}`),
          limits: { ...SHORT_LIMITS, ...limits },
          userAgent: "bizauth/test (ops@example.test)",
        },
        samKey: samKey ?? null,
        wait: async (ms) => {
          waited.push(ms)
        },
        work: UNWATCHED,
      }
    },
    round: (id: SourceId, options: RoundOptions = {}): Promise<RoundReport> =>
      fetchRound(listTarget(ADAPTERS[id], bench), operator.context(options)),
    check: (id: SourceId) => bench.store.read(() => sourceCheck(id)),
    /** The state that a server started now would report. */
    async state(id: SourceId) {
      const { board } = await openBoard({ ...bench, snapshotsDirectory: bench.root, sources: SOURCE_IDS, disabled: [] })
      const state = board.states(bench.machine.now()).find(({ sourceId }) => sourceId === id)
      if (!state) throw new Error(`no state of ${id}`)
      return state
    },
    /** Everything that must stay the same in a round without a new list. */
    async untouched(id: SourceId) {
      const active = await bench.active(id)
      return { active, events: bench.events(), staging: operator.staging(id) }
    },
    now: () => formatInstant(bench.machine.now()),
    [Symbol.asyncDispose]: async () => {
      await server[Symbol.asyncDispose]()
      await bench[Symbol.asyncDispose]()
    },
  }
  return operator
}

export type FetchBench = Awaited<ReturnType<typeof fetchBench>>
