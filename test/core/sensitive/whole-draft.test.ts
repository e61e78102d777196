import { expect, test } from "bun:test"
import { Type } from "@sinclair/typebox"
import { USE } from "../../../schemas/hints.ts"
import { DraftSearch } from "../../../src/core/sensitive/sensitive-draft.ts"
import type { JsonValue } from "../../../src/core/strict-json.ts"

const IBAN = "GB33BUKB20201555555555"
const schema = Type.Object({
  note: Type.String({ [USE]: "PROSE" }),
  "a/b": Type.String(),
  list: Type.Array(Type.Object({ text: Type.String() })),
})

test("every text, number and name of a value is searched; no pointer repeats what it found", () => {
  const rows: readonly [JsonValue, string[]][] = [
    [{ note: "fine", list: [{ text: "fine" }], more: { of: [1, true, null, "fine"] } }, []],
    [
      { note: `pay ${IBAN}`, "a/b": IBAN, list: [{ text: "fine" }, { text: IBAN }] },
      ["/note IBAN", "/a~1b IBAN", "/list/1/text IBAN"],
    ],
    [{ [IBAN]: 1, other: { deep: [{ iban: IBAN }] } }, [" IBAN", "/other/deep/0/iban IBAN"]],
    [{ list: [{ text: { in: IBAN } }, IBAN] }, ["/list/0/text/in IBAN", "/list/1 IBAN"]],
    [{ note: 4_111_111_111_111_111 }, ["/note CARD_NUMBER"]],
    [{ sort_code: 200_000, account: "55555555" }, [" UK_ACCOUNT"]],
    [{ note: ["20-00-00", "55555555"] }, ["/note UK_ACCOUNT"]],
    [IBAN, [" IBAN"]],
    [{ note: `sha256:${"4".repeat(64)}` }, []],
    [
      JSON.parse(`{"__proto__": {"note": "${IBAN}"}, "constructor": "${IBAN}"}`) as JsonValue,
      ["/__proto__/note IBAN", "/constructor IBAN"],
    ],
  ]
  for (const [value, found] of rows) {
    expect(
      new DraftSearch({ bankData: true }).faultsOf(schema, value).map(({ pointer, kind }) => `${pointer} ${kind}`),
    ).toEqual(found)
  }
})
