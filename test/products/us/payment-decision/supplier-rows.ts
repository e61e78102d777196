import { ORGANIZATION_ID } from "../../../fixtures/buyers.ts"
import type { RowChange } from "./seller.ts"

/** Rows of another supplier of the organization, with an identifier, a name or an entity id. */
export function supplierRows(named: {
  readonly key?: string
  readonly nameKey?: string
  readonly entityId?: string
}): readonly [RowChange] {
  const { key, nameKey, entityId } = named
  const owner = `'${ORGANIZATION_ID}'`
  const set = [
    `INSERT INTO supplier VALUES (${owner}, 'sup_other', 'sup_other', 0, 't')`,
    key && `INSERT INTO supplier_identifier VALUES (${owner}, '${key}', 'sup_other', 'ANCHOR', 'drq_other', 't', NULL)`,
    nameKey && `INSERT INTO supplier_name VALUES (${owner}, '${nameKey}', 'sup_other')`,
    entityId && `INSERT INTO supplier_entity VALUES (${owner}, '${entityId}', 'sup_other')`,
  ]
  const tables = ["supplier_entity", "supplier_name", "supplier_identifier", "supplier"]
  const unset = tables.map((table) => `DELETE FROM ${table} WHERE supplier_id = 'sup_other'`)
  return [[set.filter((sql) => sql !== undefined).join("; "), unset.join("; ")]]
}
