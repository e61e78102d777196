/** Checks that every operation needs: a database that takes writes, has the right schema and is in its place, and the right keys. */
import { SchemaMismatch } from "../../db/applied-migrations.ts"
import type { Log } from "../base/log.ts"
import type { Check, Reason } from "../base/readiness.ts"
import type { KeyRing } from "../keys/key-ring.ts"
import type { Engine } from "../store/engine/engine.ts"
import { DatabaseRefused, StoreUnavailable } from "../store/engine/store-error.ts"
import { type HmacKeys, keyChecksOf, storedKeyChecks } from "./hmac-keys.ts"
import type { OwnInstance } from "./own-instance.ts"

interface OwnStateParts {
  readonly engine: Engine
  readonly keys: Pick<KeyRing, "state" | "missing">
  readonly hmacKeys: HmacKeys
  readonly instance: Pick<OwnInstance, "beat">
  readonly log: Log
}

export function ownStateChecks({ engine, keys, hmacKeys, instance, log }: OwnStateParts): readonly Check[] {
  return [
    // The first of two reasons with one code counts, and the engine knows more of a database that was moved.
    ...engine.checks(log),
    { name: "database", reasons: () => databaseReasons({ engine, hmacKeys, instance }) },
    { name: "migrations", reasons: () => migrationReasons(engine) },
    { name: "signing key", reasons: () => keyReasons(keys) },
  ]
}

function keyReasons(keys: OwnStateParts["keys"]): readonly Reason[] {
  if (keys.missing().length > 0) return [SIGNING_KEY_MISSING]
  return keys.state() === "EXPIRED" ? [SIGNING_KEY_EXPIRED] : []
}

/** Only a process that lost its connections for a while can meet new keys: nobody replaces them while a process is seen to serve. */
async function hmacReasons({ store }: Engine, keys: HmacKeys): Promise<readonly Reason[]> {
  const stored = await store.read(storedKeyChecks)
  const { quoteKey, tokenKey } = keyChecksOf(keys)
  const isSame = stored === null || (stored.quoteKey === quoteKey && stored.tokenKey === tokenKey)
  return isSame ? [] : [HMAC_KEY_REPLACED]
}

/** The write that proves it says that this process lives. */
async function databaseReasons({
  engine,
  hmacKeys,
  instance,
}: Pick<OwnStateParts, "engine" | "hmacKeys" | "instance">): Promise<readonly Reason[]> {
  try {
    await instance.beat()
    return await hmacReasons(engine, hmacKeys)
  } catch (error) {
    if (!(error instanceof StoreUnavailable)) throw error
    if (error.reason === "LOG_SHORTER") return [LOG_SHORTER]
    if (error.reason === "SCHEMA_NEWER") return [SCHEMA_NEWER]
    return [{ code: `DATABASE_${error.reason}`, detail: "The database cannot take writes now." }]
  }
}

/** Another process may have replaced this binary and migrated the schema further. Then this process must leave the load balancer. */
async function migrationReasons(engine: Engine): Promise<readonly Reason[]> {
  try {
    return (await engine.pendingMigrations()).length > 0
      ? [{ code: "MIGRATIONS_PENDING", detail: "The database lacks a migration of this binary." }]
      : []
  } catch (error) {
    if (error instanceof DatabaseRefused) return [error.reason === "STANDBY" ? STANDBY : UNREACHABLE]
    if (error instanceof StoreUnavailable) return [UNREACHABLE]
    if (!(error instanceof SchemaMismatch)) throw error
    return [SCHEMA_NEWER]
  }
}

const SCHEMA_NEWER: Reason = {
  code: "MIGRATIONS_UNKNOWN",
  detail: "The database has a schema this binary does not know.",
}

const HMAC_KEY_REPLACED: Reason = {
  code: "HMAC_KEY_REPLACED",
  detail: "The key of quotes or of tokens was replaced; the operator must give this server the new one and restart it.",
}

const LOG_SHORTER: Reason = {
  code: "DATABASE_LOG_SHORTER",
  detail:
    "The database lacks entries of the transparency log that this server saw, so it sells nothing until it starts again.",
}

const STANDBY: Reason = {
  code: "DATABASE_STANDBY",
  detail: "The database server is a standby, which takes no writes.",
}

const UNREACHABLE: Reason = {
  code: "DATABASE_UNREACHABLE",
  detail: "No server of the database lets the service in now.",
}

const SIGNING_KEY_EXPIRED: Reason = {
  code: "SIGNING_KEY_EXPIRED",
  detail: "The signing key has expired; the operator must rotate it.",
}

const SIGNING_KEY_MISSING: Reason = {
  code: "SIGNING_KEY_MISSING",
  detail: "Another server rotated a signing key, and this one does not have the new key.",
}
