import { existsSync, readdirSync } from "node:fs"
import { originOf } from "../../base/config.ts"
import { isLoopbackName } from "../../base/loopback.ts"
import { readSecretFile } from "../../base/secret-file.ts"
import { DAY, formatInstant, instant } from "../../core/time.ts"
import { recoveryKeys } from "../../keys/key-places.ts"
import { issuerFault } from "../../keys/own-identity.ts"
import { configFaults, isProxyUnnamed } from "../../server/config-rules.ts"
import type { Store } from "../../store/engine/unit.ts"
import { findActiveServiceKey, KEY_USES, listAllServiceKeys } from "../../store/identity/service-keys.ts"
import { earlierOrigins, hostOfOrigin, logOrigin } from "../../store/log/log-origin.ts"
import { readTreeHead } from "../../store/log/transparency-log.ts"
import { pausedLines, pausedRights } from "../../store/paused-rights.ts"
import { restores } from "../../store/restores.ts"
import { keyCheckFault, keyChecksOf, storedKeyChecks } from "../hmac-keys.ts"
import { isBeforeRestore, judgeSizeRecord, readSizeRecord } from "../log-size-record.ts"
import { missingFiles } from "../missing-files.ts"
import { LOCAL_DISK } from "../network-mount.ts"
import { otherHostsNotice } from "../other-hosts.ts"
import type { Inspected } from "./inspected.ts"
import { about, type Line } from "./line.ts"

const EXPIRY_WARNING_DAYS = 30

export async function ownStateLines(found: Inspected): Promise<readonly Line[]> {
  return [
    ...(await settingLines(found)),
    ...(await keyLines(found)),
    ...(await logLines(found)),
    ...(await hostLines(found)),
    ...(await restoreLines(found)),
  ]
}

async function settingLines({ config, environment, store }: Inspected): Promise<readonly Line[]> {
  const rules = about("settings", "rules", "serve refuses to start with a setting that contradicts another")
  const issuer = await issuerFault({ store: store as Store, issuerId: config.issuer_id })
  const faults = [...configFaults(config, environment), ...(issuer === null ? [] : [issuer])]
  const proxy = about("settings", "proxy", "without the proxy's address all callers share one budget of requests")
  const isProxied = config.base_url !== null && !isLoopbackName(new URL(config.base_url).hostname)
  const isUnnamed = isProxyUnnamed(config, environment) || (isProxied && config.trusted_proxies.isEmpty)
  return [
    ...(faults.length === 0
      ? [rules.ok("every setting agrees with the others and with the directory")]
      : faults.map((fault) =>
          rules.problem(fault, "correct it in bizauth.toml; bizauth config check says when it is right"),
        )),
    isUnnamed
      ? proxy.note(
          `base_url is ${config.base_url ?? config.listen.text}, and trusted_proxies is empty`,
          "name the proxy's address in trusted_proxies",
        )
      : proxy.ok(config.trusted_proxies.isEmpty ? "no proxy is expected" : `trusted: ${config.trusted_proxies.text}`),
  ]
}

async function keyLines(found: Inspected): Promise<readonly Line[]> {
  const { paths, store, machine } = found
  const files = about("keys", "files", "without one of these files the service does not start")
  const missing = missingFiles(paths, await store.read(listAllServiceKeys))
  const recovery = about("keys", "recovery", "a thief of this machine who finds a recovery key owns the identity")
  const kept = existsSync(recoveryKeys(paths.keys)) ? readdirSync(recoveryKeys(paths.keys)).length : 0
  const lines = [
    missing.length === 0
      ? files.ok("every key file that the service needs is there")
      : files.problem(`missing: ${missing.join(", ")}`, "put them back from where you keep them"),
    kept === 0
      ? recovery.ok("no recovery key is on this machine")
      : recovery.note(`${kept} files in ${recoveryKeys(paths.keys)}`, "take the folder offline"),
  ]
  if (missing.length === 0) lines.push(await hmacLine(found))
  for (const use of KEY_USES) {
    const line = about("keys", use, "a key that has expired signs nothing, so the service sells nothing")
    const key = await store.read(() => findActiveServiceKey(use))
    if (!key) lines.push(line.problem("no ACTIVE key", `bizauth keys rotate --use ${use}`))
    else {
      const days = Math.floor((instant(key.expiresAt) - machine.now()) / DAY)
      const what = `${key.keyId} until ${key.expiresAt} (${days} days)`
      const mend = `bizauth keys rotate --use ${use}`
      lines.push(
        days < 0 ? line.problem(what, mend) : days < EXPIRY_WARNING_DAYS ? line.note(what, mend) : line.ok(what),
      )
    }
  }
  return lines
}

/** Reads no key whose file the files' check has not found. */
async function hmacLine({ paths, store, database }: Inspected): Promise<Line> {
  const line = about(
    "keys",
    "hmac",
    "another key would not know the quotes and tokens that were given, and serve refuses it",
  )
  const stored = await store.read(storedKeyChecks)
  if (stored === null)
    return line.note("not compared: no serve of this release has started", "start bizauth serve once")
  const [quoteKey, tokenKey] = [paths.quoteKey, paths.tokenKey].map((path) => new Uint8Array(readSecretFile(path)))
  if (!quoteKey || !tokenKey) throw new TypeError("two paths give two keys")
  const fault = keyCheckFault(paths, keyChecksOf({ quoteKey, tokenKey }), stored, database.name)
  return fault === null
    ? line.ok("the keys of quotes and tokens are those of the database")
    : line.problem(fault, "see the sentence above")
}

async function logLines({ config, paths, store, database, databaseBytes }: Inspected): Promise<readonly Line[]> {
  const name = about("log", "origin", "verifiers look for the log's name under the host that they call")
  const size = about("log", "size", "an older database would show a second history under the same name")
  const [origin, head, earlier] = await Promise.all([
    store.read(logOrigin),
    store.read(readTreeHead),
    store.read(earlierOrigins),
  ])
  const record = readSizeRecord(paths.directory)
  // A server keeps the database: the first start after a restore writes the record of this directory again.
  const isOutdated = record && databaseBytes === null ? await store.read(() => isBeforeRestore(record)) : false
  const fault = record && !isOutdated ? await store.read(() => judgeSizeRecord(record)) : null
  const host = new URL(originOf(config)).host
  const named = `${origin ?? "without a name"}${earlier.length === 0 ? "" : `, before: ${earlier.map((one) => one.origin).join(", ")}`}`
  const isElsewhere = origin !== null && config.base_url !== null && hostOfOrigin(origin) !== host
  return [
    isElsewhere
      ? name.note(
          `${named}; base_url has the host ${host}`,
          "bizauth log new-origin --why TEXT, if the service moved for good",
        )
      : name.ok(named),
    fault === null
      ? size.ok(`${head.size} leaves${record ? `, ${record.size} of them recorded at ${record.at}` : ""}`)
      : size.problem(
          `${head.size} leaves, and the record of ${record?.at} says ${record?.size}: ${fault.kind === "BEHIND" ? "this is an older copy" : "this is another database"}`,
          database.mend,
        ),
  ]
}

async function hostLines({ store, paths, machine, databaseBytes }: Inspected): Promise<readonly Line[]> {
  if (databaseBytes === null) return []
  const line = about("directory", "hosts", "a database file is safe on one machine only")
  const notice = await store.read(() => otherHostsNotice(paths.directory, machine.now()))
  return [notice === null ? line.ok("no other host serves from it") : line.problem(notice, LOCAL_DISK)]
}

async function restoreLines({ store, machine }: Inspected): Promise<readonly Line[]> {
  const line = about(
    "directory",
    "restore",
    "what happened between a backup and its restore is unknown, and so it is void",
  )
  const pauses = about("directory", "paused", "what a restore brought back may have been taken back since the backup")
  const now = formatInstant(machine.now())
  const [known, paused] = await Promise.all([store.read(restores), store.read(() => pausedRights(now))])
  const waiting = paused === null ? [] : pausedLines(paused)
  const pausedLine =
    waiting.length === 0
      ? pauses.ok("nothing waits for a confirmation")
      : pauses.note(`since ${paused?.since}: ${waiting.join("; ")}`, "confirm each of them, or leave it paused")
  const open = known.filter((one) => one.newest_declared_at === null).at(-1)
  if (!open)
    return [line.ok(known.length === 0 ? "never restored" : "restored; declared as the newest state"), pausedLine]
  const what = `restored at ${formatInstant(instant(open.restored_at))} from a backup of ${open.backup_at}`
  return [
    line.note(what, "bizauth payments owed; if nothing happened after the backup: bizauth restore --backup-is-newest"),
    pausedLine,
  ]
}
