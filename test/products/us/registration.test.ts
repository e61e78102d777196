/** A supplier looked up in registers: found or not, with the same name or another, and the cases without a finding. */
import { describe, expect, test } from "bun:test"
import { DAY, formatInstant, MINUTE } from "../../../src/core/time.ts"
import { lookUpRegistration } from "../../../src/products/us/registration.ts"
import { RegisterDamaged } from "../../../src/sources/import/register-file.ts"
import type { RegisterId } from "../../../src/sources/records/register-id.ts"
import { DECIDED_AT } from "../../fixtures/decision.ts"
import { registerBoard, registered } from "../../fixtures/register-board.ts"
import { NO_REGISTERS } from "../../fixtures/test-server.ts"

const LEI = "5493001KJTIIGC8Y1R12"
const UEI = "ZQGGHJH74DW7"
const CIK = "0000320193"
const NAME = "Harbor Light Instruments LLC"
const US: readonly RegisterId[] = ["US_SAM_ENTITY", "GLEIF_LEI", "US_SEC_EDGAR"]

const look = (board: Parameters<typeof lookUpRegistration>[0], identifiers: Record<string, string>, name?: string) =>
  lookUpRegistration(board, { ...(name !== undefined && { legal_name: name }), identifiers }, DECIDED_AT)

describe("the fact", () => {
  test("is null when no imported register assigns an identifier of the supplier", () => {
    expect(look(NO_REGISTERS, { uei: UEI }, NAME)).toBeNull()
    expect(look(registerBoard(["GLEIF_LEI"], []), { uei: UEI }, NAME)).toBeNull()
    expect(look(registerBoard(["UK_COMPANIES_HOUSE"], []), { uei: UEI, lei: LEI, cik: CIK }, NAME)).toBeNull()
  })

  for (const [why, state] of [
    ["is too old", { health: "STALE" }],
    ["could not be read", { health: "SCHEMA_BREAK" }],
    ["is switched off", { health: "DISABLED" }],
    ["goes stale while the decision would be valid", { staleAt: formatInstant(DECIDED_AT + 59 * MINUTE) }],
  ] as const) {
    test(`is null when the register ${why}, because its absence is no finding`, () => {
      expect(look(registerBoard(US, [], state), { uei: UEI, lei: LEI }, NAME)).toBeNull()
    })
  }

  test("says what was looked up, in which snapshot, and with which result", () => {
    const board = registerBoard(
      ["US_SAM_ENTITY"],
      [registered("US_SAM_ENTITY", "uei", UEI, "HARBOR LIGHT INSTRUMENTS, LLC")],
    )
    expect(look(board, { uei: UEI.toLowerCase() }, NAME)).toMatchObject({
      source_id: "US_SAM_ENTITY",
      snapshot_id: "snp_us_sam_entity",
      found: true,
      name_agrees: true,
      lookups: [
        {
          scheme: "uei",
          value: UEI,
          found: true,
          registered_name: "HARBOR LIGHT INSTRUMENTS, LLC",
          status: "ACTIVE",
          is_current: true,
          name_agrees: true,
          name_score: 1,
          stale_at: formatInstant(DECIDED_AT + 30 * DAY),
        },
      ],
    })
  })

  test("covers every identifier that can be looked up, so that one of another firm is not hidden behind a correct one", () => {
    const board = registerBoard(US, [
      registered("GLEIF_LEI", "lei", LEI, NAME),
      registered("US_SAM_ENTITY", "uei", UEI, "Quiet Meadow Tools LLC"),
    ])
    for (const name of [NAME, undefined]) {
      const fact = look(board, { lei: LEI, uei: UEI }, name)
      expect(fact).toMatchObject({ source_id: "US_SAM_ENTITY", found: true, name_agrees: false })
      expect(fact?.lookups?.map(({ scheme, name_agrees }) => [scheme, name_agrees])).toEqual([
        ["lei", true],
        ["uei", false],
      ])
    }
  })

  test("proves nothing by a number missing from the SEC's file, but counts a number in it", () => {
    expect(look(registerBoard(["US_SEC_EDGAR"], []), { cik: CIK }, NAME)).toBeNull()
    const board = registerBoard(["US_SEC_EDGAR"], [registered("US_SEC_EDGAR", "cik", CIK, NAME)])
    expect(look(board, { cik: "320193" }, NAME)).toMatchObject({ found: true, name_agrees: true })
  })

  test("says that a registration which ended since the publication is no longer active; on its last day it still is", () => {
    for (const [expires, stands] of [
      ["2026-11-19", false],
      ["2026-11-20", true],
      ["2026-11-21", true],
    ] as const) {
      const board = registerBoard(["US_SAM_ENTITY"], [registered("US_SAM_ENTITY", "uei", UEI, NAME, { expires })])
      expect(look(board, { uei: UEI }, NAME)?.lookups?.[0]?.is_current).toBe(stands)
    }
  })

  test("is no finding when the register's bytes are damaged, and the register is not read further", () => {
    const damaged = {
      ...registerBoard(["US_SAM_ENTITY"], []),
      find: () => {
        throw new RegisterDamaged("a checksum differs")
      },
    }
    expect(look(damaged, { uei: UEI }, NAME)).toBeNull()
  })

  test("does not treat a malformed entry as an empty one", () => {
    const entry = registered("US_SAM_ENTITY", "uei", UEI, NAME, { legal_names: [] })
    expect(look(registerBoard(["US_SAM_ENTITY"], [entry]), { uei: UEI }, NAME)).toBeNull()
  })
})
