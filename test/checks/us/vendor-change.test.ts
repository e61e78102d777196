import { expect, test } from "bun:test"
import type { KnownDestination } from "../../../schemas/us/decision-facts.ts"
import { lastDestination, vendorChangeGate } from "../../../src/checks/us/vendor-change.ts"
import { digestOf } from "../../../src/core/digest.ts"
import { DAY, formatInstant } from "../../../src/core/time.ts"

const AT = Date.UTC(2026, 10, 20)
const [HERE, THERE] = [digestOf("here"), digestOf("there")]

const known = (basis: KnownDestination["basis"], fingerprint: string, days: number): KnownDestination => ({
  basis,
  fingerprint,
  reference: digestOf(days),
  recorded_at: formatInstant(AT - days * DAY),
})

const paying = (...knownDestinations: KnownDestination[]) =>
  vendorChangeGate({
    payeeFingerprint: HERE,
    destinationFingerprint: HERE,
    knownDestinations,
    references: [],
    payeeVerificationDaysMax: 90,
    at: AT,
  })

test.each([
  ["an allowed one", [known("ALLOW", HERE, 400)]],
  ["one that was changed with authority", [known("CHANGE_AUTHORIZATION", HERE, 400)]],
  ["a change after an earlier place", [known("ALLOW", THERE, 2), known("CHANGE_AUTHORIZATION", HERE, 1)]],
  ["a payee verified ninety days ago", [known("PAYEE_VERIFICATION", HERE, 90)]],
] as const)("%s is unchanged", (_, destinations) => {
  expect(paying(...destinations).waived).toBe("DESTINATION_UNCHANGED")
})

test.each([
  ["nothing is known", [], "FIRST_PAYMENT_TO_DESTINATION"],
  ["a verification is older", [known("PAYEE_VERIFICATION", HERE, 91)], "FIRST_PAYMENT_TO_DESTINATION"],
  ["another payee was verified", [known("PAYEE_VERIFICATION", THERE, 1)], "FIRST_PAYMENT_TO_DESTINATION"],
  [
    "the payee was verified since, and the money went elsewhere before",
    [known("ALLOW", THERE, 2), known("PAYEE_VERIFICATION", HERE, 1)],
    "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION",
  ],
  [
    "the place was changed since",
    [known("CHANGE_AUTHORIZATION", THERE, 1), known("ALLOW", HERE, 2)],
    "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION",
  ],
] as const)("%s", (_, destinations, code) => {
  expect(paying(...destinations).codes).toEqual([code])
})

test("the last destination is the newest that money was let go to, whatever was verified since", () => {
  const allowed = known("ALLOW", THERE, 3)
  expect(lastDestination([known("PAYEE_VERIFICATION", HERE, 1), allowed, known("ALLOW", HERE, 5)])).toEqual(allowed)
  expect(lastDestination([known("PAYEE_VERIFICATION", HERE, 1)])).toBeNull()
})
