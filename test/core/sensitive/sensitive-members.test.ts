/** Which members of a body are searched for bank data, and which pointer a finding has. */
import { describe, expect, test } from "bun:test"
import { type TSchema, Type } from "@sinclair/typebox"
import {
  AgentId,
  Amount,
  AtomicAmount,
  Currency,
  closed,
  DateTime,
  Digest,
  EvmAddress,
  KeyId,
  Nonce,
  Signature,
} from "../../../schemas/common.ts"
import { USE } from "../../../schemas/hints.ts"
import { DecisionRequest, SupplierIdentifiers } from "../../../schemas/us/payment-decision.ts"
import { DraftSearch } from "../../../src/core/sensitive/sensitive-draft.ts"
import { sensitiveMembers } from "../../../src/core/sensitive/sensitive-members.ts"
import { signedRequest } from "../../fixtures/decision.ts"
import { Draw } from "../../fixtures/draw.ts"
import { keyPairBytes } from "../../fixtures/private-keys.ts"

const CARD = "4111111111111111"
const IBAN = "GB29NWBK60161331926819"
const faultsOf = (schema: TSchema, body: unknown) => sensitiveMembers(schema, { bankData: true })(body)

test("free texts and opaque ids are searched at any place, and each finding is reported once by its pointer", () => {
  const schema = closed({
    "a/b~c": Type.Optional(Type.String({ [USE]: "PROSE" })),
    list: Type.Array(closed({ note: Type.String(), amount: Amount })),
    pair: Type.Tuple([Type.String()]),
    either: Type.Union([
      Type.Null(),
      closed({ text: Type.String() }),
      closed({ text: Type.String(), more: Type.String() }),
    ]),
    count: Type.Integer(),
  })
  const { pair: _, ...rest } = schema.properties
  const body = {
    "a/b~c": `card ${CARD}`,
    list: [
      { note: "none", amount: "1" },
      { note: IBAN, amount: CARD },
    ],
    either: { text: "20-00-00 55779911", more: IBAN },
    count: 4,
  }
  expect(faultsOf(closed(rest), body)).toEqual([
    { pointer: "/a~1b~0c", kind: "CARD_NUMBER" },
    { pointer: "/list/1/note", kind: "IBAN" },
    { pointer: "/either/text", kind: "UK_ACCOUNT" },
    { pointer: "/either/more", kind: "IBAN" },
  ])
  expect(faultsOf(closed(rest), { list: [], either: null, count: 4 })).toEqual([])
  expect(() => sensitiveMembers(schema, { bankData: true })).toThrow("Tuple")
})

test.each([
  ["digest", Digest],
  ["date-time", DateTime],
  ["currency", Currency],
  ["amount", Amount],
  ["atomic amount", AtomicAmount],
  ["address", EvmAddress],
  ["signature", Signature],
  ["agent id", AgentId],
  ["key id", KeyId],
  ["literal", Type.Literal(CARD)],
  ["number", Type.Number()],
])("a %s is not searched", (_, schema) => {
  expect(faultsOf(closed({ member: schema }), { member: CARD })).toEqual([])
})

test.each([
  ["caller's nonce", Nonce, `${"n".repeat(14)}-${IBAN}`],
  ["id with a pattern", Type.String({ pattern: "^[A-Za-z0-9][A-Za-z0-9._:-]*$" }), "supplier:4111-1111-1111-1111"],
])("a %s is searched", (_, schema, value) => {
  expect(faultsOf(closed({ member: schema }), { member: value })).toHaveLength(1)
})

describe("a record with names chosen by the caller", () => {
  const schema = closed({ identifiers: SupplierIdentifiers })
  test.each([
    ["one value", { ein: "12-3456789", other: IBAN }, "/identifiers/other"],
    ["a name", { [IBAN]: "1" }, "/identifiers"],
    [
      "a sort code and an account number side by side",
      { sort_code: "20-00-00", account_number: "55779911" },
      "/identifiers",
    ],
    [
      "the same numbers without hyphens",
      { "bank.sort": "200000", holder: "Harbor Light Instruments", account: "55779911" },
      "/identifiers",
    ],
    ["the account first", { account: "55779911", sort_code: "200000" }, "/identifiers"],
  ])("is reported by the pointer of the member that holds it alone, or its own, for %s", (_, identifiers, pointer) => {
    expect(faultsOf(schema, { identifiers }).map((fault) => fault.pointer)).toEqual([pointer])
  })
  test("accepts federal identifiers", () => {
    const identifiers = {
      lei: "5493001KJTIIGC8Y1R12",
      uei: "ZQGGHJH74DW7",
      ein: "12-3456789",
      cik: "0000320193",
      cage: "1ABC2",
    }
    expect(faultsOf(schema, { identifiers })).toEqual([])
  })
})

test("a whole signed Payment Decision request has no bank data", () => {
  expect(faultsOf(DecisionRequest, signedRequest())).toEqual([])
})

test("a schema of an unknown kind, or one open to any member, throws and never passes", () => {
  for (const schema of [
    Type.Unknown(),
    closed({ a: Type.Any() }),
    Type.Object({}),
    Type.Record(Type.String(), Type.Integer()),
  ]) {
    expect(() => sensitiveMembers(schema, { bankData: true })).toThrow(TypeError)
  }
})

describe("a member of random characters", () => {
  const Reference = Type.String({ pattern: "^[A-Za-z0-9_-]{32}$" })
  const stripe = `sk_live_${"a1B2".repeat(6)}`
  const github = `ghp_${"a1B2".repeat(9)}`

  test("refuses a token of its length, with and without the fixed text of its pattern", () => {
    const schema = closed({
      reference: Reference,
      agent: AgentId,
      id: Type.String({ pattern: "^ofr_[A-Za-z0-9_-]{40}$" }),
    })
    const body = { reference: stripe, agent: `svc:agent:${stripe}`, id: `ofr_${github}` }
    const pointers = ["/reference", "/agent", "/id"]
    expect(faultsOf(schema, body)).toEqual(pointers.map((pointer) => ({ pointer, kind: "ACCESS_TOKEN" })))
    expect(new DraftSearch({ bankData: true }).faultsOf(schema, body)).toEqual(faultsOf(schema, body))
  })

  test("refuses a key pair in place of a signature", () => {
    const schema = closed({ signature: Signature })
    const body = { signature: keyPairBytes(new Draw("key pair")).toString("base64url") }
    expect(faultsOf(schema, body)).toEqual([{ pointer: "/signature", kind: "PRIVATE_KEY_MATERIAL" }])
    expect(new DraftSearch({ bankData: true }).faultsOf(schema, body)).toEqual(faultsOf(schema, body))
  })

  test("takes every other value", () => {
    const schema = closed({ reference: Reference, key: KeyId, signature: Signature })
    const draw = new Draw("random values")
    const of = (bytes: number) => draw.bytes(bytes).toString("base64url")
    for (let i = 0; i < 10_000; i++) {
      const body = { reference: of(24), key: `ed25519-${of(32)}`, signature: of(64) }
      expect(faultsOf(schema, body)).toEqual([])
    }
  })
})
