/** What must be known of a US company before anything is quoted about it: a supported identifier, and a name that can be screened. */
import type { UsOperationRequest } from "../../../schemas/us/operation-request.ts"
import { refuseUnreadName } from "../../answers/refuse-name.ts"
import { checkSupplierIdentifiers } from "../../checks/supplier-identifiers.ts"
import { instant, parseInstant, SECOND } from "../../core/time.ts"
import { ServiceError } from "../../errors.ts"
import type { SourceBoard } from "../../sources/source-board.ts"
import { named, type SupplierIdentity } from "./registered-name.ts"
import { lookUpRegistration, type Registers } from "./registration.ts"
import { supplierQuery } from "./screening.ts"

/** `evaluated_at` says when the caller last looked; a request signed or stored long ago is asked to look again. */
export const EVALUATION_WINDOW_MS = 300 * SECOND

/** `pointer` is that of the object with the identifiers. */
export function refuseIdentifiers(identity: SupplierIdentity, pointer: string): ServiceError | null {
  const { faults, supplierKey } = checkSupplierIdentifiers(identity.identifiers)
  if (faults.length === 0 && supplierKey !== null) return null
  const at = `${pointer}/identifiers`
  return new ServiceError(
    "IDENTIFIER_UNSUPPORTED",
    "Give at least one of uei, cage, lei or cik with a valid form; ein only beside it.",
    {
      errors: (faults.length > 0 ? faults.map((kind) => `${at}/${kind}`) : [at]).map((one) => ({
        pointer: one,
        code: "IDENTIFIER_UNSUPPORTED",
      })),
    },
  )
}

/** A name that is not given is that of the strongest identifier's registration, where an imported register has it (rulings 51). */
export function refuseLegalName(
  { sources, registers }: { readonly sources: SourceBoard; readonly registers: Registers },
  identity: SupplierIdentity,
  pointer: string,
  at: number,
): ServiceError | null {
  const supplied = identity.legal_name
  const known = supplied === undefined ? named(identity, lookUpRegistration(registers, identity, at)) : identity
  if (known.legal_name === undefined) {
    return new ServiceError("LEGAL_NAME_REQUIRED", "No register supplies this company's name; give its legal name.", {
      errors: [{ pointer: `${pointer}/legal_name`, code: "LEGAL_NAME_REQUIRED" }],
    })
  }
  return refuseUnreadName(sources.index(), supplierQuery(known, "MEDIUM"), `${pointer}/legal_name`)
}

type Evaluated = Pick<UsOperationRequest, "freshness_requirements">

/** A calendar date that does not exist passes the schema's pattern. */
export function refuseEvaluationDate({
  freshness_requirements: { evaluated_at: text },
}: Evaluated): ServiceError | null {
  if (parseInstant(text) !== null) return null
  return new ServiceError("SCHEMA_INVALID", "A date-time names a day or time that does not exist.", {
    errors: [{ pointer: "/freshness_requirements/evaluated_at", code: "DATE_TIME" }],
  })
}

/** Asked of the unpaid call only: a valid quote stands in for it on a paid one (rulings 24). */
export function refuseEvaluationTime(
  { freshness_requirements: { evaluated_at: text } }: Evaluated,
  { paid, at }: { readonly paid: boolean; readonly at: number },
): ServiceError | null {
  if (paid || Math.abs(instant(text) - at) <= EVALUATION_WINDOW_MS) return null
  return new ServiceError("EVALUATED_AT_OUT_OF_WINDOW", "Set evaluated_at to the current time.", {
    errors: [{ pointer: "/freshness_requirements/evaluated_at", code: "EVALUATED_AT_OUT_OF_WINDOW" }],
  })
}
