/** Counts how well screening finds labelled names, at every mark from the near-miss score to 1. */
import type { LabelledName } from "../../sources/screening/labelled-names.ts"
import type { ScreenResult } from "../../sources/screening/screen.ts"

/** In hundredths, so that a mark is exact. */
const FIRST_MARK = 65
const LAST_MARK = 100

/** Scores from which a name is an alert. */
export const MARKS: readonly number[] = Array.from(
  { length: LAST_MARK - FIRST_MARK + 1 },
  (_, at) => (FIRST_MARK + at) / 100,
)

/** The counts of one group at one mark. */
interface MarkCounts {
  readonly mark: number
  /** Listed names whose own entry is a hit. */
  readonly found: number
  /** Names on no list with a hit. */
  readonly falseAlerts: number
  /** Listed names whose only hits are other entries. */
  readonly otherEntries: number
}

export interface GroupCounts {
  readonly group: string
  readonly names: number
  readonly listed: number
  /** Names without a hit that could not be read or say too little: never CLEAR. */
  readonly unread: number
  readonly marks: readonly MarkCounts[]
}

export interface Quality {
  /** Null if there is nothing to divide by. */
  readonly recall: number | null
  readonly precision: number | null
  readonly f1: number | null
  readonly alerts: number
  /** Of the names on no list. */
  readonly falseAlertShare: number | null
}

class Group {
  names = 0
  listed = 0
  unread = 0
  readonly found = new Float64Array(MARKS.length)
  readonly falseAlerts = new Float64Array(MARKS.length)
  readonly otherEntries = new Float64Array(MARKS.length)

  counted(group: string): GroupCounts {
    const { names, listed, unread } = this
    const marks = MARKS.map((mark, at) => ({
      ...{ mark, found: this.found[at]!, falseAlerts: this.falseAlerts[at]!, otherEntries: this.otherEntries[at]! },
    }))
    return { group, names, listed, unread, marks }
  }
}

export class BenchCounts {
  readonly #groups = new Map<string, Group>()
  readonly #all = new Group()

  /** `result`: of the screening at the first mark. */
  add(name: LabelledName, result: ScreenResult): void {
    const group = this.#groups.get(name.group) ?? new Group()
    this.#groups.set(name.group, group)
    for (const one of [group, this.#all]) addTo(one, name, result)
  }

  /** By name of the group. */
  get groups(): readonly GroupCounts[] {
    return [...this.#groups].sort(([a], [b]) => (a < b ? -1 : 1)).map(([name, group]) => group.counted(name))
  }

  get all(): GroupCounts {
    return this.#all.counted("all")
  }
}

function addTo(group: Group, { expected }: LabelledName, { hits, state }: ScreenResult): void {
  const best = hits.reduce((most, { score }) => Math.max(most, score), 0)
  group.names += 1
  if (expected !== "CLEAR") group.listed += 1
  if (state === "SCRIPT_UNSUPPORTED" || state === "INSUFFICIENT") group.unread += 1
  const own =
    expected === "CLEAR" || expected === "LISTED"
      ? best
      : hits
          .filter(({ sourceId, entryId }) => expected.includes(`${sourceId}:${entryId}`))
          .reduce((most, { score }) => Math.max(most, score), 0)
  for (const [at, mark] of MARKS.entries()) {
    if (best < mark) return
    if (expected === "CLEAR") group.falseAlerts[at]! += 1
    else if (own >= mark) group.found[at]! += 1
    else group.otherEntries[at]! += 1
  }
}

export function qualityAt({ names, listed }: GroupCounts, { found, falseAlerts, otherEntries }: MarkCounts): Quality {
  const alerts = found + falseAlerts + otherEntries
  const share = (count: number, of: number) => (of === 0 ? null : count / of)
  const [recall, precision] = [share(found, listed), share(found, alerts)]
  const f1 =
    recall === null || precision === null || recall + precision === 0
      ? null
      : (2 * recall * precision) / (recall + precision)
  return { recall, precision, f1, alerts, falseAlertShare: share(falseAlerts, names - listed) }
}

/** The counts at a mark of {@link MARKS}. Throws a RangeError for another one. */
export function countsAt({ marks }: GroupCounts, mark: number): MarkCounts {
  const found = marks.find((one) => one.mark === mark)
  if (!found) throw new RangeError(`${mark} is not a mark`)
  return found
}
