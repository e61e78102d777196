/** After the faults: everything must end, everything paid must be delivered or listed, and the servers must sell again. */
import type { World } from "./world.ts"

/** Longest life of an authorization, blocks until one is safe, and time for the workers to look: virtual ms. */
const CALM_MS = 900_000
const LOOK_EVERY_MS = 2_000

export function reckon(world: World): void {
  const { scheduler } = world
  const until = scheduler.time + CALM_MS
  let nextLook = scheduler.time
  let open: string | null = "not looked yet"
  world.runUntil(() => {
    if (scheduler.time < nextLook) return false
    nextLook = scheduler.time + LOOK_EVERY_MS
    open = openWork(world)
    return open === null
  }, until)
  if (open !== null) report(world)
}

/** The first thing that is not finished, or null. */
function openWork(world: World): string | null {
  const { books } = world
  for (const { id, state, watched, finality } of books.attempts.values()) {
    if (state === "RESERVED" || state === "VERIFIED" || state === "SETTLING" || watched === 1) return id
    if (state === "SETTLED" && finality === "INCLUDED") return id
  }
  for (const { nonce, state } of books.nonces.values()) if (state !== "MINED") return `nonce ${nonce}`
  return world.processes.every(({ life }) => life?.house) ? null : "a process that is not open"
}

function report(world: World): void {
  const { books } = world
  for (const attempt of books.attempts.values()) {
    const { id, state, watched, finality } = attempt
    const isOpen = state === "RESERVED" || state === "VERIFIED" || state === "SETTLING" || watched === 1
    if (isOpen || (state === "SETTLED" && finality === "INCLUDED")) {
      world.violate("attempt_never_ends", `${id} is ${state}, watched ${watched}, finality ${finality}`, [id])
    }
  }
  for (const { nonce, state, attemptId } of books.nonces.values()) {
    if (state === "MINED") continue
    world.violate("nonce_gap", `nonce ${nonce} of ${attemptId ?? "nobody"} is ${state}`, attemptId === null ? [] : [attemptId])
  }
}
