/**
 * "Every kind of secret in every member": asked of the guard of every operation there is, with bodies that its own schema makes. And honest
 * ids and references, of which it refuses none.
 */
import { describe, expect } from "bun:test"
import type { TSchema } from "@sinclair/typebox"
import { Value } from "@sinclair/typebox/value"
import fc from "fast-check"
import { USE } from "../../schemas/hints.ts"
import type { Operation } from "../../schemas/operation.ts"
import { ServiceError } from "../../src/base/errors.ts"
import { bodyGuard } from "../../src/http/body-guard.ts"
import { sample } from "../core/sample-of-schema.ts"
import { Draw } from "../fixtures/draw.ts"
import { atLength, sample as drawn, howMany, SEED } from "../fixtures/long.ts"
import { operations, type Place, places } from "../fixtures/planted-bodies.ts"
import type { MadeSecret } from "../fixtures/private-keys.ts"
import { bareKeys, HONEST_IDS, secretsAnywhere } from "../fixtures/secrets.ts"
import { slowTests } from "../fixtures/slow-tests.ts"

const test = slowTests(import.meta.path)

const BODIES = atLength(1, 12)
/** Each has its own time: some commits draw a document of many members, each of which gets every secret. */
const PARTS = [1, 2, 3, 4, 5, 6, 7, 8]

/** Bodies with all their optional members as often as the schema's sample has them. */
function bodiesOf(operation: Operation<TSchema>): unknown[] {
  return fc.sample(
    sample(operation.body).filter((body) => !JSON.stringify(body).includes('"__proto__"')),
    BODIES,
  )
}

/** What the guard says to this body: null, or the refusal. */
function refusal(guard: (body: unknown) => void, body: unknown): ServiceError | null {
  try {
    guard(body)
    return null
  } catch (error) {
    if (error instanceof ServiceError) return error
    throw error
  }
}

function requireRefused(guard: (body: unknown) => void, place: Place, { name, text, core, kind }: MadeSecret): void {
  const refused = refusal(guard, place.put(text))
  const found = refused?.context.errors?.map(({ code }) => code) ?? []
  const code = kind === "ACCESS_TOKEN" ? "CREDENTIAL_REJECTED" : "PRIVATE_KEY_MATERIAL_REJECTED"
  expect([name, place.pointer, refused?.code, found.includes(kind)]).toEqual([name, place.pointer, code, true])
  const told = JSON.stringify([refused?.detail, refused?.context])
  expect([name, told.includes(core)]).toEqual([name, false])
}

describe.each(operations.map((operation) => [operation.id, operation] as const))("%s", (_, operation) => {
  const guard = bodyGuard(operation)
  if (guard === null) throw new Error(`${operation.id} has no body`)
  const draw = () => new Draw(operation.id)
  let made: { readonly bodies: readonly unknown[]; readonly secrets: readonly MadeSecret[] } | null = null
  const forAllParts = () => {
    made ??= { bodies: bodiesOf(operation), secrets: secretsAnywhere(draw()) }
    return made
  }

  test.each(PARTS)(
    "refuses every kind of secret in every member and in every name, and repeats none, part %d",
    (part) => {
      const { bodies, secrets } = forAllParts()
      const ofPart = secrets.filter((_, at) => at % PARTS.length === part - 1)
      for (const body of bodies) {
        for (const place of drawn(places(operation.body, body), atLength(30, 400))) {
          for (const secret of ofPart) requireRefused(guard, place, secret)
        }
      }
    },
  )

  test("refuses a secret as the name of a member, and as a member that the schema does not know", () => {
    const from = draw()
    for (const body of bodiesOf(operation)) {
      for (const { text } of drawn(secretsAnywhere(from), atLength(8, 60))) {
        for (const wrong of [{ [text]: 1 }, { note: text }, { note: { deep: [text] } }]) {
          const refused = refusal(guard, { ...(body as object), ...wrong })
          expect(["CREDENTIAL_REJECTED", "PRIVATE_KEY_MATERIAL_REJECTED"]).toContain(String(refused?.code))
          expect(JSON.stringify(refused?.context)).not.toContain(text)
        }
      }
    }
  })

  test("refuses bare keys in prose and in ids of logs", () => {
    const from = draw()
    for (const body of bodiesOf(operation)) {
      for (const place of places(operation.body, body)) {
        const use = place.schema[USE as never] as unknown
        if (use !== "PROSE" && use !== "TRACE") continue
        for (const secret of bareKeys(from)) requireRefused(guard, place, secret)
      }
    }
  })
})

test("what each member is for is marked in the schemas: these names are prose, ids of logs and accounts, and no others", () => {
  const found = new Map<unknown, Set<string>>()
  for (const operation of operations) {
    for (const body of fc.sample(sample(operation.body), 40)) {
      for (const { pointer, schema } of places(operation.body, body)) {
        const use: unknown = schema[USE as never]
        const name = pointer.slice(pointer.lastIndexOf("/") + 1)
        if (use !== undefined) found.set(use, (found.get(use) ?? new Set()).add(name))
      }
    }
  }
  expect(Object.fromEntries([...found].map(([use, names]) => [use, [...names].toSorted()]))).toEqual({
    PROSE: ["economic_purpose", "exposure_valuation_basis", "invoice_company_name", "legal_name", "reason"],
    TRACE: ["correlation_id", "trace_id"],
    ACCOUNT: ["value"],
  })
})

const BARE = ["Solana address", "bytes32", "hex digest", "hex digest in capitals", "base64url digest", "base64 digest"]

/** What an honest caller writes in a member. */
function honestFor(use: unknown): (typeof HONEST_IDS)[number][] {
  if (use === "TRACE") return HONEST_IDS.filter(([name]) => !BARE.includes(name))
  return HONEST_IDS.filter(([name]) => use === undefined || !(name.includes("number") || BARE.includes(name)))
}

const HONEST = atLength(4_000, 100_000)
/** A busy machine needs minutes for all of them. */
const HONEST_MS_MAX = 300_000

test(
  `none of ${howMany(100_000, HONEST)} bodies with honest ids in every id and reference is refused`,
  () => {
    const guarded = operations.map((operation) => ({
      operation,
      guard: bodyGuard(operation) ?? (() => {}),
      bodies: fc
        .sample(sample(operation.body), 8)
        .filter((body) => refusal(bodyGuard(operation) ?? (() => {}), body) === null)
        .filter((body) => !namesAnAccount(operation.body, body)),
    }))
    const draw = new Draw("honest ids")
    let filled = 0
    for (let i = 0; i < HONEST; i++) {
      const { operation, guard, bodies } = guarded[i % guarded.length] ?? expect.unreachable()
      const made = withHonestIds(operation.body, bodies[i % bodies.length], draw)
      filled += made.filled
      const refused = refusal(guard, made.body)
      if (refused) throw new Error(JSON.stringify([SEED, operation.id, refused.context, made.body]))
    }
    expect(filled).toBeGreaterThan(HONEST)
  },
  HONEST_MS_MAX,
)

/** What a caller calls a member with an account number. Under such a name an honest number has the form of one: `sc: 12345678-123456`. */
const ACCOUNT_NAME = /acc(?:oun)?t|card|bank|payout|pan|sort|s\/?c/i

function namesAnAccount(schema: TSchema, body: unknown): boolean {
  const all = places(schema, body)
  const maps = all.filter(({ isName }) => isName).map(({ pointer }) => `${pointer}/`)
  return all.some(({ pointer }) =>
    maps.some((map) => pointer.startsWith(map) && ACCOUNT_NAME.test(pointer.slice(map.length))),
  )
}

/** The body with another honest id in every free text that takes it. */
function withHonestIds(
  schema: TSchema,
  body: unknown,
  draw: Draw,
): { readonly body: unknown; readonly filled: number } {
  let filled = 0
  let changed = body
  const count = places(schema, changed).length
  for (let at = 0; at < count; at++) {
    const place = places(schema, changed)[at]
    if (place?.isName) continue
    const kinds = honestFor(place?.schema[USE as never])
    const [, make] = kinds[draw.below(kinds.length)] ?? expect.unreachable()
    const next = place?.put(make(draw))
    if (!Value.Check(schema, next)) continue
    changed = next
    filled++
  }
  return { body: changed, filled }
}
