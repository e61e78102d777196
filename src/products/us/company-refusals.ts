/** Checks before a quote for a US company: a supported identifier, and a name that can be screened. */
import type { UsOperationRequest } from "../../../schemas/us/operation-request.ts"
import { type FieldError, ServiceError } from "../../base/errors.ts"
import {
  checkSupplierIdentifiers,
  IDENTIFIER_FORMS,
  type IdentifierKind,
} from "../../checks/us/supplier-identifiers.ts"
import { foldCase } from "../../core/text/fold-case.ts"
import { instant, SECOND } from "../../core/time.ts"
import type { SourceBoard } from "../../sources/boards/source-board.ts"
import { checkNameReadable, judgeUnscreenedName } from "../common/check-name.ts"
import type { Judged } from "../common/pre-quote-check.ts"
import { named, type SupplierIdentity } from "./registered-name.ts"
import { lookUpRegistration, type Registers } from "./registration.ts"
import { supplierQuery } from "./screening.ts"

/** `evaluated_at` is when the caller last looked. A request that was signed or stored earlier than this must be evaluated again. */
const EVALUATION_WINDOW_MS = 300 * SECOND

/** `pointer` is the pointer of the object with the identifiers. */
export function checkIdentifiers(identity: SupplierIdentity, pointer: string): ServiceError | null {
  const { invalid, repeated, supplierKey } = checkSupplierIdentifiers(identity.identifiers)
  const at = `${pointer}/identifiers`
  const errors: FieldError[] = [
    ...invalid.map((name) => ({
      pointer: `${at}/${name}`,
      code: "IDENTIFIER_INVALID",
      expected: IDENTIFIER_FORMS[foldCase(name) as IdentifierKind],
    })),
    // The caller wrote the names, so the pointer names the record that contains them.
    ...(repeated.length > 0
      ? [{ pointer: at, code: "NAME_REPEATED", expected: "names that differ in more than case" }]
      : []),
  ]
  if (errors.length === 0 && supplierKey === null) {
    errors.push({ pointer: at, code: "IDENTIFIER_UNSUPPORTED", expected: "at least one of lei, uei, cage, cik" })
  }
  if (errors.length === 0) return null
  return new ServiceError(
    "IDENTIFIER_UNSUPPORTED",
    "Give at least one of lei, uei, cage or cik; each one given, and ein, in its form.",
    { errors },
  )
}

interface Named {
  readonly identity: SupplierIdentity
  /** JSON pointer of the object with the identity. */
  readonly pointer: string
  readonly at: number
}

/**
 * If the request has no name, uses the name in the registration of the strongest identifier, if an imported register has it (rulings 51).
 */
export function checkLegalName(
  { sources, registers }: { readonly sources: SourceBoard; readonly registers: Registers },
  given: Named,
): ServiceError | null {
  const name = legalNameOf(registers, given)
  if (name instanceof ServiceError) return name
  const queryOf = () => supplierQuery({ ...given.identity, legal_name: name }, "MEDIUM")
  return checkNameReadable(sources.index(), name, legalNamePointer(given), queryOf)
}

/** The same check for a free call, which screens nothing. */
export function judgeLegalNameFree(registers: Registers, given: Named): Judged {
  const name = legalNameOf(registers, given)
  return name instanceof ServiceError ? name : judgeUnscreenedName(name, legalNamePointer(given))
}

const legalNamePointer = ({ pointer }: Named) => `${pointer}/legal_name`

function legalNameOf(registers: Registers, given: Named): string | ServiceError {
  const { identity, at } = given
  const name = identity.legal_name ?? named(identity, lookUpRegistration(registers, identity, at)).legal_name
  if (name !== undefined) return name
  return new ServiceError("LEGAL_NAME_REQUIRED", "No register supplies this company's name; give its legal name.", {
    errors: [
      { pointer: legalNamePointer(given), code: "LEGAL_NAME_REQUIRED", expected: "the company's registered name" },
    ],
  })
}

type Evaluated = Pick<UsOperationRequest, "freshness_requirements">

/** Applies to the unpaid call only: on a paid call, a valid quote replaces it (rulings 24). */
export function checkEvaluationTime(
  { freshness_requirements: { evaluated_at: text } }: Evaluated,
  { paid, at }: { readonly paid: boolean; readonly at: number },
): ServiceError | null {
  if (paid || Math.abs(instant(text) - at) <= EVALUATION_WINDOW_MS) return null
  return new ServiceError("EVALUATED_AT_OUT_OF_WINDOW", "Set evaluated_at to the current time.", {
    errors: [
      {
        pointer: "/freshness_requirements/evaluated_at",
        code: "EVALUATED_AT_OUT_OF_WINDOW",
        expected: "date-time within 300 seconds of now",
      },
    ],
  })
}
