import type { Database } from "bun:sqlite"
import { Elysia } from "elysia"
import { pendingMigrations, SchemaMismatch } from "../../../db/migrate.ts"
import { getLiveness, getReadiness } from "../../../schemas/discovery/health.ts"
import { formatInstant } from "../../core/time.ts"
import { ServiceError } from "../../errors.ts"
import { type Shell, serve } from "../../http/serve.ts"
import type { KeyRing } from "../../keys/key-ring.ts"
import { probeWrite } from "../../store/meta.ts"
import { StoreUnavailable } from "../../store/store-error.ts"
import type { Store } from "../../store/unit.ts"

interface Parts {
  readonly shell: Shell
  readonly keys: KeyRing
  readonly store: Store
  readonly dataDirectory: { readonly database: Database }
}

/** A probe writes to the disk, so strangers who ask more often get the last answer. */
const PROBE_MS = 5000

export function health(parts: Parts) {
  let asked: { readonly at: number; readonly failing: Promise<string[]> } | null = null
  const failing = (at: number): Promise<string[]> => {
    if (!asked || at - asked.at >= PROBE_MS) asked = { at, failing: failingChecks(parts, at) }
    return asked.failing
  }
  return new Elysia({ normalize: false })
    .use(serve(parts.shell, getLiveness, () => ({ status: 200, body: { status: "ALIVE" } })))
    .use(
      serve(parts.shell, getReadiness, async ({ at }) => {
        const names = await failing(at)
        if (names.length > 0) {
          throw new ServiceError("NOT_READY", "reason_codes names what failed.", { reasonCodes: names })
        }
        const checks = ["DATABASE_WRITABLE", "MIGRATIONS_APPLIED", "SIGNING_KEY_LOADED"]
        return { status: 200, body: { checks, status: "READY" } }
      }),
    )
}

async function failingChecks({ store, keys, dataDirectory }: Parts, at: number): Promise<string[]> {
  const failing: string[] = []
  try {
    await store.run(() => probeWrite(formatInstant(at)))
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    failing.push(`DATABASE_${error.reason}`)
  }
  const migrations = migrationFault(dataDirectory.database)
  if (migrations) failing.push(migrations)
  if (keys.state() === "EXPIRED") failing.push("SIGNING_KEY_EXPIRED")
  return failing
}

/** Another process may have replaced this binary and migrated on: then this one must leave the load balancer. */
function migrationFault(database: Database): string | null {
  try {
    return pendingMigrations(database).length > 0 ? "MIGRATIONS_PENDING" : null
  } catch (error) {
    if (error instanceof SchemaMismatch) return "MIGRATIONS_UNKNOWN"
    throw error
  }
}
