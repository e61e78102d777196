/** No member of an event or a dialogue, in or out, can hold a sentence: not by rule of a reader, but by schema. */
import { expect, test } from "bun:test"
import { Kind, type TSchema } from "@sinclair/typebox"
import fc from "fast-check"
import {
  IntentBeaconResult,
  SignedIntentBeaconConsent,
  SignedIntentBeaconEvent,
  SignedIntentBeaconRevocation,
} from "../../../schemas/agent-mode/beacon.ts"
import { AgentDialogueResponse, SignedAgentDialogue } from "../../../schemas/agent-mode/dialogue.ts"
import { MultichannelStatus } from "../../../schemas/agent-mode/multichannel-status.ts"
import { OfferStatus } from "../../../schemas/agent-mode/offer.ts"
import { SignedAgentSalesOptOut } from "../../../schemas/agent-mode/opt-out.ts"
import { compile } from "../../../src/http/read-body.ts"
import { sample } from "../../core/sample-of-schema.ts"

const SCHEMAS: Readonly<Record<string, TSchema>> = {
  SignedAgentDialogue,
  AgentDialogueResponse,
  SignedAgentSalesOptOut,
  SignedIntentBeaconConsent,
  SignedIntentBeaconRevocation,
  SignedIntentBeaconEvent,
  IntentBeaconResult,
  MultichannelStatus,
  OfferStatus,
}

interface Leaf {
  readonly pointer: string
  readonly schema: TSchema
}

function leaves(schema: TSchema, pointer: string): Leaf[] {
  switch (schema[Kind]) {
    case "Object":
      return Object.entries(schema.properties as Record<string, TSchema>).flatMap(([name, member]) =>
        leaves(member, `${pointer}/${name}`),
      )
    case "Array":
      return leaves(schema.items, `${pointer}/-`)
    case "Union":
      return (schema.anyOf as TSchema[]).flatMap((one) => leaves(one, pointer))
    default:
      return [{ pointer, schema }]
  }
}

const everyLeaf = Object.entries(SCHEMAS).flatMap(([name, schema]) => leaves(schema, name))
const sentence = fc.oneof(
  fc.constantFrom(
    "please call me",
    "a b",
    "line\nbreak",
    "tab\there",
    "ü",
    "名前",
    "<b>x</b>",
    "a@b.example",
    '{"a":1}',
    "",
  ),
  fc.tuple(fc.string(), fc.constantFrom(" ", "\n", "\u00a0", "é", "@"), fc.string()).map((parts) => parts.join("")),
)

test("every text of every message and answer has a closed set, a calendar or a pattern without spaces", () => {
  expect(everyLeaf.length).toBeGreaterThan(150)
  const texts = everyLeaf.filter(({ schema }) => schema.type === "string" && schema[Kind] !== "Literal")
  const open = texts.filter(({ schema }) => schema[Kind] !== "DateTime" && typeof schema.pattern !== "string")
  expect(open.map(({ pointer }) => pointer)).toEqual([])
  expect(
    everyLeaf
      .filter(
        ({ schema }) => !["Literal", "String", "Text", "DateTime", "Integer", "Boolean", "Null"].includes(schema[Kind]),
      )
      .map(({ pointer }) => pointer),
  ).toEqual([])
})

/** Links of our own answers may have every printable ASCII character but the space. */
const isLink = ({ schema }: Leaf) => String(schema.pattern).startsWith("^https?://")

test("no sentence fits any of these texts", () => {
  const texts = everyLeaf.filter(
    (leaf) => leaf.schema.type === "string" && leaf.schema[Kind] !== "Literal" && !isLink(leaf),
  )
  const checks = [...new Set(texts.map(({ schema }) => schema))].map((schema) => compile(schema))
  fc.assert(
    fc.property(sentence, (text) => {
      expect(checks.filter((check) => check.Check(text)).length).toBe(0)
    }),
    { numRuns: 200 },
  )
})

test("no text of an event can be replaced by a sentence", () => {
  const check = compile(SignedIntentBeaconEvent)
  fc.assert(
    fc.property(sample(SignedIntentBeaconEvent), sentence, (value, text) => {
      const event = value as Record<string, unknown>
      expect(check.Check(event)).toBe(true)
      for (const name of Object.keys(event)) expect(check.Check({ ...event, [name]: text })).toBe(false)
      expect(check.Check({ ...event, note: text })).toBe(false)
    }),
    { numRuns: 50 },
  )
})
