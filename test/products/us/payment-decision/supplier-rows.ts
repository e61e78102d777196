import { ORGANIZATION_ID } from "../../../fixtures/buyers.ts"
import type { RowChange } from "./seller.ts"

/** Rows of another supplier of the organization, with an identifier, a name or an entity id. */
export function supplierRows(named: {
  readonly key?: string
  readonly nameKey?: string
  readonly entityId?: string
}): readonly RowChange[] {
  const { key, nameKey, entityId } = named
  const owner = `'${ORGANIZATION_ID}'`
  const row = (table: string, values: string): RowChange => [
    `INSERT INTO ${table} VALUES (${owner}, ${values})`,
    `DELETE FROM ${table} WHERE supplier_id = 'sup_other'`,
  ]
  return [
    row("supplier", "'sup_other', 'sup_other', 0, 't'"),
    ...(key ? [row("supplier_identifier", `'${key}', 'sup_other', 'ANCHOR', 'drq_other', 't', NULL`)] : []),
    ...(nameKey ? [row("supplier_name", `'${nameKey}', 'sup_other'`)] : []),
    ...(entityId ? [row("supplier_entity", `'${entityId}', 'sup_other'`)] : []),
  ]
}
