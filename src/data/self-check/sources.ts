import { createLog } from "../../base/log.ts"
import { DAY, formatInstant, instant } from "../../core/time.ts"
import { disabledSources } from "../../server/config-rules.ts"
import { absentWayOut } from "../../sources/boards/absent-snapshot.ts"
import type { KnownSource } from "../../sources/boards/known-source.ts"
import { loadStates } from "../../sources/boards/load-states.ts"
import { saleLimit, soldWith } from "../../sources/boards/sellable.ts"
import type { SourceState } from "../../sources/boards/source-board.ts"
import { sourceStates } from "../../sources/boards/source-health.ts"
import { KNOWN_SOURCES } from "../../sources/known-sources.ts"
import type { Finding } from "../../sources/records/adapter.ts"
import { isRegisterId } from "../../sources/records/register-id.ts"
import type { Store } from "../../store/engine/unit.ts"
import type { AttemptRow } from "../../store/sources/sources.ts"
import type { Inspected } from "./inspected.ts"
import { about, type Line } from "./line.ts"

/** A list that is stale within this time is a note before it stops sales. */
const SOON_MS = DAY

/** One line for each list, and one for each register that was imported once. */
export async function sourceLines({
  config,
  paths,
  machine,
  store,
  databaseBytes,
}: Inspected): Promise<readonly Line[]> {
  const disabled = disabledSources(config)
  const fetching = config.sources_fetch
  const log = createLog("error", () => {}, machine.now)
  const loaded = await loadStates({ store: store as Store, snapshotsDirectory: paths.snapshots, machine, log })
  const at = machine.now()
  const isShared = databaseBytes === null
  return sourceStates(KNOWN_SOURCES, loaded, { disabled, fetching, at }).flatMap((state) => {
    const absent = isShared ? loaded.absent.find(({ sourceId }) => sourceId === state.sourceId) : undefined
    if (absent && state.health !== "DISABLED")
      return [
        about("lists", state.sourceId, NOT_HERE).note("not on this machine yet", absentWayOut(paths.snapshots, absent)),
      ]
    if (!isRegisterId(state.sourceId)) return [listLine(state, at), ...wordLines(state, loaded.attempts)]
    return state.snapshot === null ? [] : [registerLine(state)]
  })
}

const NOT_HERE =
  "another machine imported it into the database that they share; this one sells nothing with it until it has it"

type AnyState = SourceState<KnownSource["id"]>

function listLine(state: AnyState, now: number): Line {
  const { sourceId, health, freshness, staleAt, snapshot } = state
  const line = about("lists", sourceId, "without this list, or with an old one, nothing that needs it is sold")
  const mend = `bizauth sources fetch ${sourceId}, or bizauth sources import ${sourceId} PATH`
  if (health === "DISABLED") return line.note("switched off by sources_disabled", "remove it from sources_disabled")
  if (snapshot === null)
    return line.problem(
      "never imported, or its files cannot be read",
      `${mend}; name it in sources_disabled if you sell nothing that needs it`,
    )
  const what = `${health}, ${described(state)}`
  const limit = saleLimit(soldWith(state, now))
  if (limit !== null) return line.problem(`${what}; ${limit}`, mend)
  const isSoon = staleAt !== null && instant(staleAt) - now < SOON_MS
  return freshness === "AGING" || isSoon || state.isAccepted ? line.note(what, mend) : line.ok(what)
}

const WORD_CODES: ReadonlySet<string> = new Set(["WORD_GONE", "WORD_UNKNOWN"])

/** The words of the publisher that changed, in the list in use and in a later import that was refused for them. */
function wordLines({ sourceId, snapshot }: AnyState, attempts: ReadonlyMap<string, AttemptRow>): readonly Line[] {
  const attempt = attempts.get(sourceId)
  const refused = attempt?.outcome === "REFUSED" ? (JSON.parse(attempt.findings) as readonly Finding[]) : []
  const changed = [...(snapshot?.findings ?? []), ...refused.filter(({ severity }) => severity === "hard")].filter(
    ({ code }) => WORD_CODES.has(code),
  )
  if (changed.length === 0) return []
  const details = [...new Set(changed.map(({ detail }) => detail))].join("; ")
  return [
    about(
      "lists",
      `${sourceId} words`,
      "the list is read by words of its publisher; another word is read wrongly",
    ).note(details, `ask the publisher what changed; bizauth sources status has each finding`),
  ]
}

function registerLine(state: AnyState): Line {
  const line = about(
    "lists",
    state.sourceId,
    "without it identifiers and names of a supplier are compared with nothing",
  )
  const what = `${state.health}, ${described(state)}`
  return state.health === "HEALTHY"
    ? line.ok(what)
    : line.note(what, `bizauth sources fetch ${state.sourceId}, or bizauth sources import ${state.sourceId} PATH`)
}

function described({ snapshot, ageSeconds, staleAt, isAccepted, reasonCodes }: AnyState): string {
  const days = ageSeconds === null ? "unknown" : `${(ageSeconds / (DAY / 1000)).toFixed(1)} days`
  return [
    `version ${snapshot?.sourceVersion ?? "none"}`,
    `age ${days}`,
    ...(staleAt === null ? [] : [`stale at ${formatInstant(instant(staleAt))}`]),
    ...(isAccepted ? ["accepted by an operator although old or small"] : []),
    ...reasonCodes,
  ].join(", ")
}
