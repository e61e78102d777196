/** Measures how fast authorization tokens are redeemed. */
import { openDatabase } from "../../db/open.ts"
import { digestOf } from "../../src/core/digest.ts"
import { SqliteStore } from "../../src/store/engine/sqlite/sqlite-store.ts"
import { redeemToken } from "../../src/store/tokens/token-moves.ts"
import { type HeldToken, heldToken } from "../../test/fixtures/held-tokens.ts"

/** Concurrent units, as for the appends to the log. */
const WAITING = 32
const TOKENS = 5000

/** Returns tokens redeemed per second, each in its own durable unit. Nothing else may use the database. */
export async function measureRedeems(path: string): Promise<number> {
  const store = new SqliteStore(openDatabase(path), (error) => {
    throw error
  })
  const tokens: HeldToken[] = []
  await together(async (n) => {
    tokens.push(await heldToken(store, `bench-${n}`, { country: "US" }))
  })
  const started = performance.now()
  await together(async (n) => {
    const { tokenHash, binding } = tokens[n] as HeldToken
    const idempotencyKey = `bench-${n}`
    const request = { country: "US", tokenHash, idempotencyKey, binding, at: Date.now() } as const
    const { kind } = await store.run(() => redeemToken({ ...request, requestDigest: digestOf(idempotencyKey) }))
    if (kind !== "DONE") throw new Error(`a token that nobody spent is ${kind}`)
  })
  const perSecond = TOKENS / ((performance.now() - started) / 1000)
  await store.close()
  return perSecond
}

async function together(work: (n: number) => Promise<void>): Promise<void> {
  let next = 0
  await Promise.all(
    Array.from({ length: WAITING }, async () => {
      while (next < TOKENS) await work(next++)
    }),
  )
}
