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
    isContradicted: false,
    hasMoreLinked: false,
    payeeVerificationDaysMax: 90,
    at: AT,
  })

test.each([
  ["a destination allowed earlier", [known("ALLOW", HERE, 400)]],
  ["a destination changed with authorization", [known("CHANGE_AUTHORIZATION", HERE, 400)]],
  [
    "an authorized change from an earlier destination",
    [known("ALLOW", THERE, 2), known("CHANGE_AUTHORIZATION", HERE, 1)],
  ],
  ["a payee verified ninety days ago", [known("PAYEE_VERIFICATION", HERE, 90)]],
] as const)("%s counts as unchanged", (_, destinations) => {
  expect(paying(...destinations).waived).toBe("DESTINATION_UNCHANGED")
})

test.each([
  ["nothing is known", [], "FIRST_PAYMENT_TO_DESTINATION"],
  ["the verification is over ninety days old", [known("PAYEE_VERIFICATION", HERE, 91)], "FIRST_PAYMENT_TO_DESTINATION"],
  ["another payee was verified", [known("PAYEE_VERIFICATION", THERE, 1)], "FIRST_PAYMENT_TO_DESTINATION"],
  [
    "the payee was verified later, but the last payment went elsewhere",
    [known("ALLOW", THERE, 2), known("PAYEE_VERIFICATION", HERE, 1)],
    "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION",
  ],
  [
    "the destination was changed later",
    [known("CHANGE_AUTHORIZATION", THERE, 1), known("ALLOW", HERE, 2)],
    "DESTINATION_CHANGED_WITHOUT_AUTHORIZATION",
  ],
] as const)("%s", (_, destinations, code) => {
  expect(paying(...destinations).codes).toEqual([code])
})

test("the last destination is the newest one that an authorization allowed, whatever was verified later", () => {
  const allowed = known("ALLOW", THERE, 3)
  expect(lastDestination([known("PAYEE_VERIFICATION", HERE, 1), allowed, known("ALLOW", HERE, 5)])).toEqual(allowed)
  expect(lastDestination([known("PAYEE_VERIFICATION", HERE, 1)])).toBeNull()
})
