import { TypeCompiler } from "@sinclair/typebox/compiler"
import { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { requireForm } from "./require-form.ts"

const checkRequest = TypeCompiler.Compile(DecisionRequest)

/** Throws CommandError (2) for anything but a complete, signed request. */
export function requireRequest(value: unknown): DecisionRequest {
  return requireForm(checkRequest, value, "not a signed request (bizauth agent sign-request makes one)")
}
