/** Fills a data directory with sales to the scene's buyer, all of one supplier, and puts their open attempts into the state to be measured. */
import type { Database } from "bun:sqlite"
import { openDatabase } from "../../db/open.ts"
import { checkSupplierIdentifiers } from "../../src/checks/us/supplier-identifiers.ts"
import { legalNameKey } from "../../src/core/legal-name-key.ts"
import { formatInstant } from "../../src/core/time.ts"
import { mandateKey, ORGANIZATION_ID } from "../../test/fixtures/buyers.ts"
import { DEV_ACCOUNTS, USDC_ADDRESS } from "../../test/fixtures/chain.ts"
import { GROWN, type GrownNames } from "../../test/fixtures/grown-row.ts"
import { growSales } from "../../test/fixtures/grown-rows.ts"
import type { freshRequest } from "../../test/fixtures/selling-house.ts"

/** One in ten attempts is open. */
const CYCLE = 40
/** More are open instead: what an operator owes is a list that he works off. */
const OWED = 10
const SALES_A_TRANSACTION = 50_000
const OPEN = "('RESERVED', 'VERIFIED', 'SETTLING', 'PAID_OWED')"

/** Whose request is quoted and recovered while the rows of the same owners grow. The relayer is another: the server tends its own. */
export function namesOf(request: ReturnType<typeof freshRequest>): GrownNames {
  const { supplier } = request
  return {
    organizationId: ORGANIZATION_ID,
    delegationId: "dgn_test",
    supplierKey: checkSupplierIdentifiers(supplier.identifiers).supplierKey ?? "",
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
  // Lost by a power cut, which a bench directory does not outlive anyway.
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

/** All open attempts are worked on by another process until then, milliseconds. */
export function leaseOpen(database: Database, until: number): void {
  database.run(`UPDATE payment_attempt SET lease_owner = 'another', lease_until = ? WHERE state IN ${OPEN}`, [
    formatInstant(until),
  ])
}

export function freeOpen(database: Database): void {
  database.run(`UPDATE payment_attempt SET lease_owner = NULL, lease_until = created_at WHERE state IN ${OPEN}`)
}

/** The chain has nothing more to say about the filled attempts, so the server that is measured does not ask it. */
export function endWatches(database: Database): void {
  database.run(
    "UPDATE payment_attempt SET watched = 0, look_at = NULL, finality = CASE finality WHEN 'INCLUDED' THEN 'SAFE' ELSE finality END WHERE look_at IS NOT NULL",
  )
}
