/** Checks a table of verdicts: in every state exactly one row applies, in any order of the rows, and it names the verdict. */
import { expect } from "bun:test"
import {
  acquiredByAnotherPayer,
  alreadyAcquired,
  givenUp,
  keyReused,
  notVerifiable,
  paymentsOff,
  presentedBefore,
  soldElsewhere,
  useUnknown,
} from "../../src/delivery/sale-refusals.ts"
import type { Arrived, KeyUse, State, Verdict } from "../../src/delivery/state.ts"
import type { Attempt } from "../../src/store/payments/attempts.ts"
import type { RequestRecord } from "../../src/store/sales/requests.ts"
import { ERRORS, eachState } from "./paid-states.ts"

const REFUSALS: Readonly<Record<string, string>> = Object.fromEntries(
  Object.entries({
    ...ERRORS,
    acquiredByAnotherPayer: acquiredByAnotherPayer(),
    alreadyAcquired: alreadyAcquired({ recoverPath: null }),
    givenUp: givenUp(null),
    keyReused: keyReused(),
    keyReusedOfExecution: keyReused("exe_answer"),
    notVerifiable: notVerifiable(),
    paymentsOff: paymentsOff(),
    presentedBefore: presentedBefore(),
    soldElsewhere: soldElsewhere(),
    useUnknown: useUnknown(),
  }).map(([name, { detail }]) => [detail, name]),
)
const named = ({ detail }: { readonly detail: string }) => REFUSALS[detail] ?? `unknown: ${detail}`

/** A verdict in a few words. */
export function told(verdict: Verdict): string {
  switch (verdict.do) {
    case "REFUSE":
      return `REFUSE ${named(verdict.error)}${verdict.failed ? ", failed" : ""}`
    case "QUOTE":
      return `QUOTE ${verdict.error?.slice(0, 9) ?? "new"}${verdict.failed ? ", failed" : ""}`
    case "PENDING":
      return verdict.rail === "acp"
        ? "PENDING job"
        : `PENDING ${verdict.payer ?? "another"} ${verdict.transaction}`.trim()
    case "DELIVER":
      return `DELIVER ${verdict.replayed ? "again" : "first"}`
    case "CHECK":
      return `CHECK ${verdict.step} ${verdict.time}`
    case "FIND_EQUAL": {
      const { why } = verdict.of
      return `FIND_EQUAL ${why.kind === "REFUSED" ? named(why.error) : `rejected ${why.reason}`}`
    }
    case "FOLLOW":
      return `FOLLOW${verdict.refused ? ` ${named(verdict.refused)}` : ""}`
    case "VERIFY":
    case "FIND_PRESENTED":
      return `${verdict.do} ${verdict.offered.quoteId}`
    case "PROVE_UNPAID":
      return `PROVE_UNPAID ${verdict.reason}${verdict.isFollowed ? ", followed" : ""}`
    default:
      return verdict.do
  }
}

export type Table<S> = Readonly<Record<string, (state: S) => boolean>>

/** In every state exactly one row applies, and it is the verdict. Every row applies somewhere. */
export function expectTable<S extends State>(firstStates: () => Generator<S>, table: Table<S>, least: number): void {
  const rows = Object.entries(table)
  const used = new Set<string>()
  const wrong: object[] = []
  const count = eachState(firstStates, (state, verdict) => {
    const applying = rows.filter(([, applies]) => applies(state)).map(([row]) => row)
    used.add(applying[0] ?? "")
    const isRight = applying.length === 1 && applying[0] === told(verdict)
    if (!isRight && wrong.length < 3) wrong.push({ state, applying, verdict: told(verdict) })
  })
  expect(wrong).toEqual([])
  expect([...used].sort()).toEqual(Object.keys(table).sort())
  expect(count).toBeGreaterThan(least)
}

export const isDelivered = (record: RequestRecord | null) => record?.state === "DELIVERED"
export const isJob = (record: RequestRecord | null) => !isDelivered(record) && record?.purchase?.rail === "acp"
export const isRunning = (record: RequestRecord | null) => !isDelivered(record) && record?.purchase?.rail === "x402"
export const isOpen = (record: RequestRecord | null) => !isDelivered(record) && !record?.purchase
/** The attempt is released, and its own use of the authorization keeps other payments from the request. */
export const isOwnClaim = (known: Attempt | null, record: RequestRecord | null) =>
  known?.state === "RELEASED" && isRunning(record) && record?.purchase?.id === known.id
export const own = (key: KeyUse | undefined) => (key?.kind === "SAME_BODY" ? key.record : null)
export const isOther = (key: KeyUse | undefined) => key?.kind === "OTHER_BODY"
export const passed = (s: { readonly checked?: Arrived["checked"] }) =>
  s.checked?.refusal === null && s.checked.notReady === null
