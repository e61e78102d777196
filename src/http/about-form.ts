import { ServiceError } from "../base/errors.ts"
import type { FormName } from "../core/forms/form-name.ts"
import type { Call, Reply } from "./call.ts"

/** Returns the handler of a call that the caller signed as `form`: its refusals about a form name this one, unless they name another. */
export function aboutForm<Body>(
  form: FormName,
  reply: (call: Call<Body>) => Promise<Reply>,
): (call: Call<Body>) => Promise<Reply> {
  return async (call) => {
    try {
      return await reply(call)
    } catch (error) {
      throw error instanceof ServiceError ? error.aboutForm(form) : error
    }
  }
}
