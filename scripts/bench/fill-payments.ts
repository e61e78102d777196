/** Fills a data directory with sales to the scene's buyer, all of one supplier, and puts their open attempts into the measured state. */
import type { Database } from "bun:sqlite"
import { openDatabase } from "../../db/open.ts"
import { checkSupplierIdentifiers } from "../../src/checks/us/supplier-identifiers.ts"
import { legalNameKey } from "../../src/core/legal-name-key.ts"
import { formatInstant } from "../../src/core/time.ts"
import { mandateKey, ORGANIZATION_ID } from "../../test/fixtures/buyers.ts"
import { DEV_ACCOUNTS, USDC_ADDRESS } from "../../test/fixtures/chain.ts"
import { GROWN, type GrownNames } from "../../test/fixtures/grown-row.ts"
import { growSales } from "../../test/fixtures/grown-rows.ts"
import type { freshRequest } from "../../test/fixtures/test-server.ts"

/** One in ten attempts is open. */
const CYCLE = 40
/** Attempts that stay PAID_OWED. The others become SETTLING, because an operator keeps the list of owed payments short. */
const OWED = 10
const SALES_A_TRANSACTION = 50_000
const OPEN = "('RESERVED', 'VERIFIED', 'SETTLING', 'PAID_OWED')"

/**
 * Names of the owner whose requests are quoted and recovered while the owner's rows grow. The relayer differs, because the server works on
 * its own attempts.
 */
export function namesOf(request: ReturnType<typeof freshRequest>): GrownNames {
  const { supplier } = request
  return {
    organizationId: ORGANIZATION_ID,
    delegationId: "dgn_test",
    supplierKey: checkSupplierIdentifiers(supplier.identifiers).supplierKey ?? "",
    supplierId: "supplier-grown",
    supplierEntityId: supplier.entity_id,
    supplierNameKey: legalNameKey(supplier.legal_name ?? ""),
    mandateKeyId: mandateKey.keyId,
    payer: DEV_ACCOUNTS.payer.address,
    owner: DEV_ACCOUNTS.payer.address.toLowerCase(),
    asset: USDC_ADDRESS,
    relayer: GROWN.relayer,
  }
}

/** Adds the sales `from` + 1 to `to`. Nothing else may use the database. */
export function fillPayments(path: string, from: number, to: number, names: GrownNames): void {
  const database = openDatabase(path)
  // A power cut would lose the data, but a benchmark directory need not survive one.
  for (const pragma of ["synchronous = OFF", "cache_size = -400000", "journal_size_limit = 0"]) {
    database.run(`PRAGMA ${pragma}`)
  }
  for (let start = from; start < to; start += SALES_A_TRANSACTION) {
    growSales(database, { from: start + 1, to: Math.min(to, start + SALES_A_TRANSACTION), cycle: CYCLE, names })
  }
  database.run(
    `UPDATE payment_attempt SET state = 'SETTLING', settled_tx = NULL, finality = NULL WHERE state = 'PAID_OWED' AND id NOT IN
       (SELECT id FROM payment_attempt WHERE state = 'PAID_OWED' ORDER BY created_at, id LIMIT ${OWED})`,
  )
  database.run("PRAGMA wal_checkpoint(TRUNCATE)")
  database.close(true)
}

/** Leases all open attempts to another process until `until`, in milliseconds. */
export function leaseOpen(database: Database, until: number): void {
  database.run(`UPDATE payment_attempt SET lease_owner = 'another', lease_until = ? WHERE state IN ${OPEN}`, [
    formatInstant(until),
  ])
}

export function freeOpen(database: Database): void {
  database.run(`UPDATE payment_attempt SET lease_owner = NULL, lease_until = created_at WHERE state IN ${OPEN}`)
}

/** Makes the open nonces look allocated at `now`, in milliseconds: a service whose relayer waits for minutes sells nothing. */
export function renewNonces(database: Database, now: number): void {
  database.run("UPDATE relayer_nonce SET created_at = ?1, updated_at = ?1 WHERE state <> 'MINED'", [formatInstant(now)])
}

/** Marks the filled attempts as final on the chain, so that the measured server does not query them. */
export function endWatches(database: Database): void {
  database.run(
    "UPDATE payment_attempt SET watched = 0, look_at = NULL, finality = CASE finality WHEN 'INCLUDED' THEN 'SAFE' ELSE finality END WHERE look_at IS NOT NULL",
  )
}
