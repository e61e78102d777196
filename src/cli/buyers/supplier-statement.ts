/** The rules of a statement about suppliers, for the command that signs it and the one that applies it. */
import { TypeCompiler } from "@sinclair/typebox/compiler"
import { SupplierIdentityStatement } from "../../../schemas/us/supplier-identity.ts"

/** CHOICE: an operator may take a week to apply a statement. */
export const STATEMENT_DAYS = 7

const check = TypeCompiler.Compile(SupplierIdentityStatement)

export function isStatement(value: unknown): value is SupplierIdentityStatement {
  return check.Check(value) && namesEnough(value)
}

/** Why a value is no statement. Call it when {@link isStatement} is false. */
export function statementFault(value: unknown): string {
  const fault = check.Errors(value).First()
  return fault
    ? `${fault.path} ${fault.message}`
    : "a LINK needs an identifier; an UNLINK an identifier, a name or an entity id"
}

/** A LINK without an identifier says nothing of any supplier. */
function namesEnough({ action, keys, names, entity_ids: entities }: SupplierIdentityStatement): boolean {
  return action === "LINK" ? keys.length > 0 : keys.length + names.length + entities.length > 0
}
