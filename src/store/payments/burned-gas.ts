/** Gas that reverted settlements burned, for the daily budget of each payer contract's code. */
import { and, eq } from "drizzle-orm"
import { bind, bound, first, query, rows, type Unit } from "../engine/unit.ts"

const burned = query((db, t) =>
  db
    .select({ wei: t.burnedGas.wei })
    .from(t.burnedGas)
    .where(and(eq(t.burnedGas.codeHash, bind("codeHash")), eq(t.burnedGas.day, bind("day")))),
)
const burn = query((db, t) =>
  db
    .insert(t.burnedGas)
    .values({ codeHash: bind("codeHash"), day: bind("day"), wei: bind("wei") })
    .onConflictDoUpdate({ target: [t.burnedGas.codeHash, t.burnedGas.day], set: { wei: bound("wei") } })
    .returning({ wei: t.burnedGas.wei }),
)

/** Wei that reverted settlements of payers with this code burned on `day` (YYYY-MM-DD). */
export function* gasBurned(codeHash: string, day: string): Unit<bigint> {
  return BigInt((yield* first(burned, { codeHash, day }))?.wei ?? "0")
}

export function* bookBurnedGas(codeHash: string, day: string, wei: bigint): Unit<void> {
  const before = yield* gasBurned(codeHash, day)
  yield* rows(burn, { codeHash, day, wei: String(before + wei) })
}
