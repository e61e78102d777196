/** After an import: the lists and registers in use, how old they are, when they go stale, and which answers still lack one. */
import type { Config } from "../../base/config.ts"
import { realMachine } from "../../base/machine.ts"
import { instant } from "../../core/time.ts"
import { dayOf, durationWords } from "../../pages/duration-words.ts"
import { disabledSources } from "../../server/config-rules.ts"
import type { KnownSource } from "../../sources/boards/known-source.ts"
import { soldWith } from "../../sources/boards/sellable.ts"
import type { SourceState } from "../../sources/boards/source-board.ts"
import { sourceStates } from "../../sources/boards/source-health.ts"
import { KNOWN_SOURCES } from "../../sources/known-sources.ts"
import { REQUIRED_GB_SOURCES, REQUIRED_US_SOURCES } from "../../sources/records/party.ts"
import { isRegisterId } from "../../sources/records/register-id.ts"
import { sourceRows } from "../../sources/records/source-rows.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { Input } from "../command.ts"
import { placeFlags } from "../inputs.ts"
import { byState, inColumns, type Row, rowsText } from "../rows.ts"

const UK_REGISTER = "UK_COMPANIES_HOUSE"

type State = SourceState<KnownSource["id"]>

interface SourcesInUse {
  /** Milliseconds. */
  readonly at: number
  /** Every list, and the registers that were imported or that an answer requires. */
  readonly states: readonly State[]
  /** The live register of UK companies is set up, so no imported one is required. */
  readonly isLive: boolean
}

/** Judges the rows of the database alone: whether the stored bytes are whole, `sources verify ID` and the service find out. */
async function sourcesInUse(store: Store, config: Config, at: number): Promise<SourcesInUse> {
  const { active, attempts, checks } = await store.read(() => sourceRows(KNOWN_SOURCES.map(({ id }) => id)))
  const snapshots = new Map(active.map((row) => [row.sourceId, { row }]))
  const isLive = config.uk_companies_house_key_file !== null
  const states = sourceStates(KNOWN_SOURCES, { snapshots, attempts, checks }, { disabled: disabledSources(config), at })
  const isShown = ({ sourceId, snapshot }: State) =>
    !isRegisterId(sourceId) || snapshot !== null || (sourceId === UK_REGISTER && !isLive)
  return { at, states: states.filter(isShown), isLive }
}

/** `data`: the flags that name this data directory and its settings, for the commands to copy. */
function inUseText({ at, states, isLive }: SourcesInUse, data: string): string {
  const lines = inColumns(states.map((state) => [state.sourceId, stateText(state, at)]))
  const required = {
    US: REQUIRED_US_SOURCES as readonly string[],
    UK: [...REQUIRED_GB_SOURCES, ...(isLive ? [] : [UK_REGISTER])] as readonly string[],
  }
  const lacking = (ids: readonly string[]) =>
    states.filter((state) => ids.includes(state.sourceId) && soldWith(state, at) !== "ALL")
  return rowsText(
    lines.map((line, index): Row => [index === 0 ? "in use" : "", line]),
    Object.entries(required).map(([country, ids]): Row => [`${country} answers`, answersText(lacking(ids), at)]),
    nextRows(lacking(required.US), lacking(required.UK), data),
  )
}

function stateText(state: State, at: number): string {
  const { health, freshness, snapshot, staleAt, checkedAt, isAccepted } = state
  if (health === "DISABLED") return "switched off by sources_disabled"
  if (snapshot === null) return "missing"
  const { publishedAt, retrievedAt, entries, limitations } = snapshot
  const retrieved = limitations.includes("PUBLICATION_UNKNOWN") ? "published unknown, retrieved" : "retrieved"
  const [what, since] = publishedAt === null ? [retrieved, checkedAt ?? retrievedAt] : ["published", publishedAt]
  return [
    `${entries.toLocaleString("en-US")} entries`,
    `${what} ${durationWords(at - instant(since))} ago`,
    ...(health === "HEALTHY" ? [] : [health]),
    staleText(staleAt, at),
    ...(health === "HEALTHY" && freshness === "AGING" ? ["aging"] : []),
    ...(isAccepted ? ["accepted by the operator"] : []),
  ].join(", ")
}

function staleText(staleAt: string | null, at: number): string {
  if (staleAt === null) return "stale now"
  const left = instant(staleAt) - at
  return left > 0 ? `stale in ${durationWords(left)} (${dayOf(staleAt)})` : `stale since ${dayOf(staleAt)}`
}

/** What answers of one country lack. Payments are another matter: `serve` and `check` judge them. */
function answersText(lacking: readonly State[], at: number): string {
  if (lacking.length === 0) return "every list that they need is in use and current"
  const states = lacking.map((state) => [state.sourceId, lackText(state, at)] as const)
  const isPartly = lacking.every((state) => soldWith(state, at) === "NO_PAYMENT_DECISION")
  return isPartly
    ? `every one with a condition, but no Payment Decision; that needs ${byState(states)}`
    : `need ${byState(states)}`
}

function lackText(state: State, at: number): string {
  const { health, snapshot, isAccepted } = state
  if (snapshot === null && health !== "DISABLED") return "missing"
  if (health !== "HEALTHY") return health
  return isAccepted && soldWith(state, at) === "NO_PAYMENT_DECISION"
    ? "a current one, not one that you accepted although it is old or small"
    : "stale within ten minutes"
}

function nextRows(us: readonly State[], uk: readonly State[], data: string): readonly Row[] {
  const missing = (states: readonly State[]) => states.filter(({ health }) => health !== "DISABLED")
  const off = [...us, ...uk].filter(({ health }) => health === "DISABLED").map(({ sourceId }) => sourceId)
  const offRows: readonly Row[] = off.length === 0 ? [] : [["", `${off.join(", ")}: take out of sources_disabled`]]
  const serve: Row = ["then", `bizauth serve ${data}`]
  const [first, second] = missing(us)
  if (first !== undefined) {
    // Without a name `sources fetch` fetches every list.
    const named = second === undefined ? `${first.sourceId} ` : ""
    const orImport: Row = ["", `or bizauth sources import ${first.sourceId} PATH ${data}`]
    return [["next", `bizauth sources fetch ${named}${data}`], orImport, ...offRows, serve]
  }
  const forUk = missing(uk).map(({ sourceId }): Row => ["for the UK", `bizauth sources fetch ${sourceId} ${data}`])
  return [["next", `bizauth screen "A NAME" ${data}`], ...offRows, serve, ...forUk]
}

/** What a person reads after an import or a fetch. */
export async function inUseFor(input: Input, config: Config, store: Store): Promise<string> {
  const inUse = await sourcesInUse(store, config, realMachine.now())
  return inUseText(inUse, placeFlags(input))
}
