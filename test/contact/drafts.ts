/** Random drafts of a request: a complete one with members removed, mistyped, added and out of bounds. */
import { chance } from "../fixtures/chance.ts"

type Json = unknown
type Chance = () => number

const WRONG: readonly Json[] = [
  null,
  true,
  false,
  0,
  -1,
  1.5,
  1e15,
  "",
  " ",
  "x",
  "x".repeat(700),
  "2016-12-31T23:59:60Z",
  "2026-02-30T00:00:00Z",
  "sha256:",
  "00.1",
  [],
  {},
  [null, "x"],
  Array.from({ length: 200 }, () => "x"),
  { unknown: 1 },
  Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`name-${at}`, "x"])),
  { "": "empty name" },
  { ["n".repeat(200)]: "long name" },
  { name: 5, "a/b~c": {} },
]

function one<T>(from: readonly T[], draw: Chance): T {
  return from[Math.floor(draw() * from.length)] as T
}

/** Every place of a value: an object or array, and the name of a member. */
function places(value: Json): [holder: Record<string, Json>, name: string][] {
  if (typeof value !== "object" || value === null) return []
  const holder = value as Record<string, Json>
  return Object.keys(holder).flatMap((name) => [
    [holder, name] as [Record<string, Json>, string],
    ...places(holder[name]),
  ])
}

function objects(value: Json): Record<string, Json>[] {
  if (typeof value !== "object" || value === null) return []
  const own = Array.isArray(value) ? [] : [value as Record<string, Json>]
  return [...own, ...Object.values(value).flatMap(objects)]
}

/** Name of the members that a draft has and no schema names. */
export const UNKNOWN_NAME = "zq7-unknown-member"

/** Returns the draft with this number. The same numbers give the same drafts. */
export function draft(complete: object, seed: number): Json {
  const draw = chance(seed)
  if (draw() < 0.01) return one([{}, null, [], "x", 5, { [UNKNOWN_NAME]: 1 }], draw)
  const value = structuredClone(complete) as Record<string, Json>
  const changes = 1 + Math.floor(draw() * (draw() < 0.2 ? 40 : 6))
  for (let at = 0; at < changes; at++) {
    const found = places(value)
    if (found.length === 0) break
    const [holder, name] = one(found, draw)
    const kind = draw()
    if (kind < 0.45 && !Array.isArray(holder)) delete holder[name]
    else if (kind < 0.85) holder[name] = structuredClone(one(WRONG, draw))
    else one(objects(value), draw)[`${UNKNOWN_NAME}-${at}`] = structuredClone(one(WRONG, draw))
  }
  return value
}
