/** What a caller hears who sent a secret, or raw bank data where it is refused: the kind and the place, never the value. */
import type { SensitiveFault } from "../core/sensitive/find-in-text.ts"
import { FIELD_ERRORS_MAX, ServiceError } from "./errors.ts"
import type { ErrorCode } from "./refusals.ts"

interface Rejection {
  readonly code: ErrorCode
  readonly detail: string
  /** What each field may hold. */
  readonly expected: string
}

const PRIVATE_KEY: Rejection = {
  code: "PRIVATE_KEY_MATERIAL_REJECTED",
  detail: "A private key was sent. It was neither kept nor logged; treat it as compromised and generate a new one.",
  expected: "public key, digest or opaque reference",
}
const CREDENTIAL: Rejection = {
  code: "CREDENTIAL_REJECTED",
  detail: "A credential was sent. It was neither kept nor logged; treat it as compromised and revoke it.",
  expected: "digest or opaque reference",
}
const BANK_DATA: Rejection = {
  code: "RAW_BANK_DATA_REJECTED",
  detail:
    "Send a fingerprint or an opaque reference instead; errors names each field. The value was neither stored nor logged.",
  expected: "fingerprint or opaque reference",
}

/** Codes of the refusals of a body because of what it holds. */
export const SENSITIVE_CODES: ReadonlySet<ErrorCode> = new Set([PRIVATE_KEY.code, CREDENTIAL.code, BANK_DATA.code])

const REJECTIONS: Readonly<Record<SensitiveFault["kind"], Rejection>> = {
  PRIVATE_KEY_MATERIAL: PRIVATE_KEY,
  SEED_PHRASE: PRIVATE_KEY,
  ACCESS_TOKEN: CREDENTIAL,
  IBAN: BANK_DATA,
  CARD_NUMBER: BANK_DATA,
  UK_ACCOUNT: BANK_DATA,
}
/** The gravest first. */
const GRAVITY = [PRIVATE_KEY, CREDENTIAL, BANK_DATA]

/** Throws {@link rejectionOf} if there is a fault. */
export function requireNoFaults(faults: readonly SensitiveFault[], status?: number): void {
  const rejection = rejectionOf(faults, status)
  if (rejection) throw rejection
}

/** Returns the rejection of the gravest fault, with the pointers and kinds of all. `status` replaces that of the code. */
export function rejectionOf(faults: readonly SensitiveFault[], status?: number): ServiceError | null {
  const gravest = GRAVITY.find((rejection) => faults.some(({ kind }) => REJECTIONS[kind] === rejection))
  if (gravest === undefined) return null
  return new ServiceError(gravest.code, gravest.detail, {
    errors: faults
      .slice(0, FIELD_ERRORS_MAX)
      .map(({ pointer, kind }) => ({ pointer, code: kind, expected: REJECTIONS[kind].expected })),
    ...(faults.length > FIELD_ERRORS_MAX && { errorsOmitted: faults.length - FIELD_ERRORS_MAX }),
    ...(status && { status }),
  })
}
