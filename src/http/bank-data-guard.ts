import type { TObject, TSchema } from "@sinclair/typebox"
import { closed } from "../../schemas/common.ts"
import type { Operation } from "../../schemas/operation.ts"
import { bankDataFaults } from "../core/bank-data/bank-data-members.ts"
import type { BankDataFault } from "../core/bank-data/draft-bank-data.ts"
import { FIELD_ERRORS_MAX, ServiceError } from "../errors.ts"

/**
 * Returns a function that rejects raw bank data in a body of this operation, after the schema accepted it. It throws RAW_BANK_DATA_REJECTED
 * with pointers and kinds, never with values, as for any other fault of the body. Returns null for an operation that accepts bank data.
 */
export function bankDataGuard(operation: Operation): ((body: unknown) => void) | null {
  const { body: schema, bankData, schemaFaultStatus: status } = operation
  if (schema === undefined || bankData !== "REFUSED") return null
  let faultsOf: ((body: unknown) => readonly BankDataFault[]) | undefined
  return (body) => {
    // Built on first use, like the compiled schema.
    faultsOf ??= bankDataFaults(schema as TSchema)
    requireNoFaults(faultsOf(body), status)
  }
}

/** As {@link bankDataGuard}, for one member of a body whose other members have guards of their own. */
export function memberGuard(operation: Operation, name: string): (body: unknown) => void {
  const member = (operation.body as TObject).properties[name]
  const guard = member && bankDataGuard({ ...operation, body: closed({ [name]: member }), bankData: "REFUSED" })
  if (!guard) throw new TypeError(`${operation.id} has no member ${name}`)
  return guard
}

/** Throws RAW_BANK_DATA_REJECTED with pointers and kinds if there is a fault. `status` replaces that of the code. */
export function requireNoFaults(faults: readonly BankDataFault[], status?: number): void {
  if (faults.length === 0) return
  throw new ServiceError(
    "RAW_BANK_DATA_REJECTED",
    "Send a fingerprint or an opaque reference instead; errors names each field. The value was neither stored nor logged.",
    {
      errors: faults.slice(0, FIELD_ERRORS_MAX).map(({ pointer, kind }) => ({
        pointer,
        code: kind,
        expected: "fingerprint or opaque reference",
      })),
      ...(faults.length > FIELD_ERRORS_MAX && { errorsOmitted: faults.length - FIELD_ERRORS_MAX }),
      ...(status && { status }),
    },
  )
}
