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
import type { ScreenQuery } from "../../sources/screening/screen.ts"
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
  named: Named,
): ServiceError | null {
  const query = legalNameQuery(registers, named)
  return query instanceof ServiceError ? query : checkNameReadable(sources.index(), query, legalNamePointer(named))
}

/** The same check for a free call, which screens nothing. */
export function judgeLegalNameFree(registers: Registers, named: Named): Judged {
  const query = legalNameQuery(registers, named)
  return query instanceof ServiceError ? query : judgeUnscreenedName(query, legalNamePointer(named))
}

const legalNamePointer = ({ pointer }: Named) => `${pointer}/legal_name`

function legalNameQuery(registers: Registers, given: Named): ScreenQuery | ServiceError {
  const { identity, at } = given
  const known =
    identity.legal_name === undefined ? named(identity, lookUpRegistration(registers, identity, at)) : identity
  if (known.legal_name !== undefined) return supplierQuery(known, "MEDIUM")
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
