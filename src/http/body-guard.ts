/** The one check of a body, whichever channel it came by: closed schema, no secrets, no raw bank data. Nothing is stored or logged before. */
import type { TObject } from "@sinclair/typebox"
import { closed } from "../../schemas/common.ts"
import type { Operation } from "../../schemas/operation.ts"
import { requireNoFaults } from "../base/sensitive-refusals.ts"
import { atFirstUse } from "../core/at-first-use.ts"
import { compiledAtFirstUse } from "../core/compiled-at-first-use.ts"
import { DraftSearch } from "../core/sensitive/sensitive-draft.ts"
import { sensitiveMembers } from "../core/sensitive/sensitive-members.ts"
import { requireSchema } from "./read-body.ts"

export type BodyGuard = (body: unknown) => void

type Guarded = Pick<Operation, "id" | "body" | "bankData" | "schemaFaultStatus">

/**
 * Returns a function that throws for a body that the operation does not take: PRIVATE_KEY_MATERIAL_REJECTED, CREDENTIAL_REJECTED,
 * RAW_BANK_DATA_REJECTED or a fault of the schema, with pointers and kinds, never with values. Returns null for an operation without a body.
 */
export function bodyGuard({ body: schema, bankData, schemaFaultStatus: status }: Guarded): BodyGuard | null {
  if (schema === undefined) return null
  // Built on first use, like the compiled schema.
  const check = compiledAtFirstUse(schema)
  const faultsOf = atFirstUse(() => sensitiveMembers(schema, { bankData: bankData === "REFUSED" }))
  return (body) => {
    if (check().Check(body)) return requireNoFaults(faultsOf()(body), status)
    // CHOICE: a caller who sent a secret learns it, whatever else is wrong with the body.
    requireNoFaults(new DraftSearch({ bankData: false }).faultsOf(schema, body), status)
    requireSchema(check(), body, status)
  }
}

/** Returns a function that rejects bank data in one member of a body whose other members have guards of their own. */
export function memberGuard(operation: Operation, name: string): BodyGuard {
  const member = (operation.body as TObject).properties[name]
  if (!member) throw new TypeError(`${operation.id} has no member ${name}`)
  const faultsOf = atFirstUse(() => sensitiveMembers(closed({ [name]: member }), { bankData: true }))
  return (body) => requireNoFaults(faultsOf()(body), operation.schemaFaultStatus)
}
