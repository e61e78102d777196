/** Members that the example bodies of the UK routes share. The company is invented; no register has its number under this name. */
import type { BindingEvidence, ChangeChallenge } from "../../../schemas/caller-evidence.ts"
import { digestOf } from "../../core/digest.ts"
import { DAY, formatInstant, HOUR, MINUTE } from "../../core/time.ts"

export const EXAMPLE_NUMBER = "09876543"
export const EXAMPLE_PAYEE = digestOf("payee of Harbour Lantern")
export const EXAMPLE_OTHER_PAYEE = digestOf("other payee of Harbour Lantern")

/** Verified two days earlier, valid for a month. */
export function exampleBinding(at: number, reference: string): BindingEvidence {
  return {
    type: "CONFIRMATION_OF_PAYEE",
    verified_at: formatInstant(at - 2 * DAY),
    valid_until: formatInstant(at + 30 * DAY),
    reference,
  }
}

/** Made a minute earlier, valid for twelve hours. */
export function exampleChallenge(at: number, reference: string): ChangeChallenge {
  return {
    type: "CALL_BACK_TO_KNOWN_NUMBER",
    verified_at: formatInstant(at - MINUTE),
    valid_until: formatInstant(at + 12 * HOUR),
    reference,
  }
}
