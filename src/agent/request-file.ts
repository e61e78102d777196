import { TypeCompiler } from "@sinclair/typebox/compiler"
import { DecisionRequest } from "../../schemas/us/payment-decision.ts"
import { CommandError, EXIT } from "../base/exit.ts"

const checkRequest = TypeCompiler.Compile(DecisionRequest)

/** Throws CommandError (2) for anything but a complete, signed request. */
export function requireRequest(value: unknown): DecisionRequest {
  if (checkRequest.Check(value)) return value
  const fault = checkRequest.Errors(value).First()
  throw new CommandError(
    EXIT.USAGE,
    `not a signed request (bizauth agent sign-request makes one): ${fault?.path} ${fault?.message}`,
  )
}
