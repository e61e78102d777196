import type { Static, TSchema } from "@sinclair/typebox"
import type { TypeCheck } from "@sinclair/typebox/compiler"
import { CommandError, EXIT } from "../base/exit.ts"

/** Returns the value if the schema accepts it. Throws CommandError (2) that begins with `refusal` and names the first wrong member. */
export function requireForm<Form extends TSchema>(
  check: TypeCheck<Form>,
  value: unknown,
  refusal: string,
): Static<Form> {
  if (check.Check(value)) return value
  const fault = check.Errors(value).First()
  throw new CommandError(EXIT.USAGE, `${refusal}: ${fault?.path} ${fault?.message}`)
}
