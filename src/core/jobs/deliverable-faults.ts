/** What is wrong with a deliverable. Every rule here is public: a buyer can check the same with the file, the requirement and the chain. */
import { AcpDeliverable } from "../../../schemas/acp/deliverable.ts"
import { canonicalize } from "../canonical-json.ts"
import { compiledAtFirstUse } from "../compiled-at-first-use.ts"
import { NATIVE_CRYPTO } from "../crypto/native-crypto.ts"
import { jsonOrUndefined } from "../strict-json.ts"
import { type DeliverableExpectations, type DeliverableFault, memberFaults, textFaults } from "./deliverable-rules.ts"

const checkOf = compiledAtFirstUse(AcpDeliverable)

/**
 * Returns every fault of a deliverable, in a fixed order. `given` is its text, or the value. The submitted hash is compared with the hash of
 * the canonical text, because no other text is ever submitted; a reformatted text is a fault of its own. It checks no signature.
 */
export function deliverableFaults(
  given: string | object,
  expected: DeliverableExpectations = {},
): readonly DeliverableFault[] {
  const value = typeof given === "string" ? jsonOrUndefined(new TextEncoder().encode(given)) : given
  if (value === undefined) return [{ code: "NOT_JSON", pointer: "" }]
  const canonical = canonicalize(value)
  const isExact = typeof given !== "string" || given === canonical
  const faults: readonly DeliverableFault[] = isExact ? [] : [{ code: "NOT_CANONICAL", pointer: "" }]
  const check = checkOf()
  if (check.Check(value)) return [...faults, ...memberFaults(value, expected, NATIVE_CRYPTO)]
  const pointer = check.Errors(value).First()?.path ?? ""
  return [...faults, ...textFaults(canonical, expected), { code: "SCHEMA", pointer }]
}
