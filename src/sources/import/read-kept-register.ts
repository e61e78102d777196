/** Reads the kept bytes of a register into a staged snapshot. No database: it runs in a thread, because it takes minutes. */
import { type LongWork, UNWATCHED } from "../../base/long-work.ts"
import type { RegisterAdapter } from "../records/register-adapter.ts"
import type { Begun } from "./kept.ts"
import { NewRecords } from "./new-records.ts"
import { type KeptBytes, type ReadAgain, readKept } from "./read-kept.ts"

/** `snapshotId`: of the new snapshot, which stays under its staging name. `now` in milliseconds. */
export type KeptRegister = Pick<KeptBytes, "root" | "before"> & Pick<Begun, "snapshotId" | "now">

export async function readKeptRegister(
  adapter: RegisterAdapter,
  { root, before, snapshotId, now }: KeptRegister,
  work: LongWork = UNWATCHED,
): Promise<ReadAgain> {
  const snapshot = new NewRecords(adapter, { root, snapshotId, now, active: null, work })
  const result = await readKept(snapshot, { sourceId: adapter.id, root, before })
  return result.fault === null ? { ...result, digest: await snapshot.digest() } : result
}
